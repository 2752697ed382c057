// What the server needs of the reference, which `src/reference/` makes.

export interface ReferenceFile {
  type: string;
  body: Buffer;
  /** Another text has another one. */
  tag: string;
}

export interface Reference {
  /** The file at a path below `/docs/`; null if there is none. */
  file(path: string): Promise<ReferenceFile | null>;
}
