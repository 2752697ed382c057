// Decodes base64 in chunks. Node's own decoder skips invalid characters and needs strings: twenty uploads at once would leave
// half a gigabyte to the garbage collector. This decoder refuses invalid input and reuses one buffer.

/** The text is not valid base64. */
export class NotBase64 extends Error {}

const blank = 64;
const padding = 65;
const none = 255;

/** What each letter stands for: six bits, or one of the three constants above. */
const meanings = new Uint8Array(256).fill(none);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((letter, i) => {
  meanings[letter.charCodeAt(0)] = i;
});
for (const letter of "\r\n\t ") meanings[letter.charCodeAt(0)] = blank;
meanings["=".charCodeAt(0)] = padding;

/** Takes the standard alphabet with its padding. Line breaks and spaces are skipped. */
export class Base64Decoder {
  private bits = 0;
  /** How many letters, and how many padding signs, of the current group of four have come. */
  private letters = 0;
  private padded = 0;
  private decoded = Buffer.alloc(0);

  /** The bytes that are complete so far. They are valid until the next call. */
  write(text: Uint8Array): Buffer {
    if (this.decoded.length < text.length + 3) this.decoded = Buffer.allocUnsafeSlow(text.length + 3);
    const { decoded } = this;
    let size = 0;
    for (let i = 0; i < text.length; i++) {
      const meaning = meanings[text[i]!]!;
      if (meaning < blank && this.padded === 0) {
        this.bits = (this.bits << 6) | meaning;
        if (++this.letters < 4) continue;
        decoded[size] = this.bits >> 16;
        decoded[size + 1] = this.bits >> 8;
        decoded[size + 2] = this.bits;
        size += 3;
        this.bits = this.letters = 0;
      } else if (meaning === padding) this.padded++;
      else if (meaning !== blank) throw new NotBase64();
    }
    return decoded.subarray(0, size);
  }

  /** The last one or two bytes, as the padding says. */
  end(): Buffer {
    const { bits, letters, padded } = this;
    if (letters === 0 && padded === 0) return Buffer.alloc(0);
    if (letters === 2 && padded === 2) return Buffer.from([bits >> 4]);
    if (letters === 3 && padded === 1) return Buffer.from([bits >> 10, bits >> 2]);
    throw new NotBase64();
  }
}

/** The bytes of a whole text. Each chunk is valid until the next one. */
export function* decodeBase64(text: string, step = 64 * 1024): Generator<Buffer> {
  const decoder = new Base64Decoder();
  for (let at = 0; at < text.length; at += step) yield decoder.write(Buffer.from(text.slice(at, at + step)));
  yield decoder.end();
}
