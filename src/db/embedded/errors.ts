/** Something that an operator has to fix. Its message is printed as it is. */
export class EmbeddedError extends Error {
  override name = "EmbeddedError";
}
