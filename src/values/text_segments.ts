// The number of segments of a text message, by which networks charge (3GPP TS 23.038 and 23.040): 160 characters if all are in
// GSM-7, or else 70. With several segments, each has 153 or 67, because it contains its position.

const basic = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
/** These characters take two places. */
const extended = new Set("\f^{}\\[~]|€");

/** `"Hello"` → 1, `""` → 0. */
export function textSegments(text: string): number {
  const characters = [...text];
  const isGsm = characters.every((one) => basic.has(one) || extended.has(one));
  return isGsm
    ? partsOf(characters, (one) => (extended.has(one) ? 2 : 1), 160, 153)
    : partsOf(graphemesOf(text), (one) => one.length, 70, 67);
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const graphemesOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** No character is split between two segments. */
function partsOf(characters: readonly string[], sizeOf: (one: string) => number, alone: number, each: number): number {
  const whole = characters.reduce((sum, one) => sum + sizeOf(one), 0);
  if (whole <= alone) return whole === 0 ? 0 : 1;
  let parts = 1;
  let room = each;
  for (const one of characters) {
    const size = sizeOf(one);
    if (size > room) {
      parts++;
      room = each;
    }
    room -= size;
  }
  return parts;
}
