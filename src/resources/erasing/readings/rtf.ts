// The text of a document in the Rich Text Format.

export const isRtf = (text: string): boolean => text.startsWith("{\\rtf");

export function rtfText(rtf: string): string {
  const decoder = decoderOf(/\\ansicpg(\d+)/.exec(rtf)?.[1]);
  return rtf
    .replace(/[\r\n]/g, "")
    .replace(/\\u(-?\d+) ?(?:\\'[0-9a-f]{2}|\?)?/gi, (_, unit) => String.fromCharCode(Number(unit) & 0xffff))
    .replace(/(?:\\'[0-9a-f]{2})+/gi, (bytes) => decoder.decode(Buffer.from(bytes.replaceAll("\\'", ""), "hex")))
    .replace(/\\(?:par|pard|line|tab|cell|row|sect|page|~|_)(?![a-z])-?\d* ?/gi, " ")
    .replace(/\\(?:[a-z]+-?\d* ?|[-*])/gi, "")
    .replace(/[{}]/g, "");
}

function decoderOf(page: string | undefined): { decode(bytes: Uint8Array): string } {
  try {
    return new TextDecoder(page === undefined ? "windows-1252" : `windows-${page}`);
  } catch {
    return new TextDecoder("windows-1252");
  }
}
