// Base64 as it comes, a piece at a time. Node's own decoder passes over whatever is no base64; here it is refused.

/** The text is no base64. */
export class NotBase64 extends Error {}

/** The standard alphabet with its padding; line breaks and spaces between are passed over. */
export class Base64Decoder {
  /** Up to three letters that wait for the rest of their four. */
  private held = "";
  private ended = false;

  write(text: string): Buffer {
    const all = this.held + (blank.test(text) ? text.replace(blanks, "") : text);
    const whole = all.length - (all.length % 4);
    const fours = all.slice(0, whole);
    if ((this.ended && all !== "") || !form.test(fours)) throw new NotBase64();

    this.held = all.slice(whole);
    this.ended = fours.endsWith("=");
    return Buffer.from(fours, "base64");
  }

  end(): void {
    if (this.held !== "") throw new NotBase64();
  }
}

const blank = /[\r\n\t ]/;
const blanks = /[\r\n\t ]+/g;
const form = /^[A-Za-z0-9+/]*={0,2}$/;

/** The pieces of a text that is at hand as a whole. */
export function* decodeBase64(text: string, step = 64 * 1024): Generator<Buffer> {
  const decoder = new Base64Decoder();
  for (let at = 0; at < text.length; at += step) yield decoder.write(text.slice(at, at + step));
  decoder.end();
}
