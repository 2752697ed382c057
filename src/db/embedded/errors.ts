/** What an operator has to do something about: its message is a sentence to print as it is. */
export class EmbeddedError extends Error {
  override name = "EmbeddedError";
}
