// What a tool answers, as it goes over the wire, and how large that may be.

export interface ToolResult {
  structured: Record<string, unknown>;
  text: string;
}

/** An answer has at most 64 KB: the two forms of a result, and the few bytes that the protocol puts around them. */
export const resultBytesMax = 64 * 1024 - 512;

export interface Written {
  structured: string;
  text: string;
  bytes: number;
}

const written = new WeakMap<ToolResult, Written>();

/** Made once for a result, which is not changed after that: its size is asked for before it is sent. */
export function writtenOf(result: ToolResult): Written {
  const known = written.get(result);
  if (known !== undefined) return known;
  const [structured, text] = [JSON.stringify(result.structured), JSON.stringify(result.text)];
  const made = { structured, text, bytes: Buffer.byteLength(structured) + Buffer.byteLength(text) };
  written.set(result, made);
  return made;
}

export const bytesOf = (result: ToolResult): number => writtenOf(result).bytes;
