// Words of a mail's header. A line breaks between words, and has 998 bytes at most (RFC 5322, 2.1.1): a longer word is written in
// encoded pieces, which readers put together again (RFC 2047).

/** Longer than any word that somebody says, and short enough for a line with a name before it. */
const wordMax = 200;
/** Base64 of so many bytes, with what is around it, has at most 75 characters. */
const pieceMax = 45;

export function headerWords(text: string): string {
  return text.split(" ").some((word) => word.length > wordMax) ? pieces(text).map(encoded).join(" ") : text;
}

const encoded = (piece: string): string => `=?UTF-8?B?${Buffer.from(piece).toString("base64")}?=`;

/** No letter is cut. */
function pieces(text: string): string[] {
  const all: string[] = [];
  let piece = "";
  for (const letter of text) {
    if (Buffer.byteLength(piece + letter) > pieceMax) {
      all.push(piece);
      piece = "";
    }
    piece += letter;
  }
  return piece === "" ? all : [...all, piece];
}
