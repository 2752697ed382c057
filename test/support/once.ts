// What the tests of one resource share, because they would all make the same. It is made when the first of them asks.

export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
