/**
 * Text in the letters of Windows-1252, which the fonts of every PDF reader can show. Other accents are dropped, Greek and
 * Cyrillic are transliterated, and everything else becomes a question mark.
 */

/** `"Łódź — Ελλάδα — 東京"` → `"Lódz — Ellada — ??"`. Line breaks stay, other control characters are removed. */
export function toLatin(text: string): string {
  let latin = "";
  for (const letter of text.replace(/\r\n?|[\u2028\u2029]/g, "\n").normalize("NFC")) latin += latinOf(letter);
  return latin;
}

function latinOf(letter: string): string {
  if (shown.test(letter) || letter === "\n") return letter;
  if (letter === "\t" || /\p{Zs}/u.test(letter)) return " ";
  if (/[\p{Cc}\p{Cf}\p{M}]/u.test(letter)) return "";
  const written = others.get(letter) ?? capital(others.get(letter.toLowerCase()));
  if (written !== undefined) return written;
  const plain = letter.normalize("NFKD").replace(/\p{M}/gu, "");
  return plain !== letter && plain !== "" ? [...plain].map(latinOf).join("") : "?";
}

const capital = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : text.slice(0, 1).toUpperCase() + text.slice(1);

/** The letters of Windows-1252. */
const shown = /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]$/;

const others = new Map<string, string>([
  ...pairs(
    "а a б b в v г g д d е e ж zh з z и i й i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ы y э e ю yu я ya",
  ),
  ...pairs("і i ї i є ye ґ g ў u ј j љ lj њ nj ћ c ђ dj џ dz ѓ gj ќ kj ѕ dz"),
  ...pairs("α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o"),
  ...pairs("ł l đ d ħ h ı i ŋ n ŧ t ĸ k ə e ẞ SS ‐ - ‑ - ‒ - ― - − - ⁄ / ∕ / • • ← <- → -> ≤ <= ≥ >= ≠ != ≈ ~ № No. ⁃ -"),
  ...pairs("₹ INR ₩ KRW ₪ ILS ₫ VND ₱ PHP ₴ UAH ₦ NGN ₺ TRY ₽ RUB ₸ KZT ₾ GEL ₡ CRC ₲ PYG ₵ GHS ₭ LAK ₮ MNT ₼ AZN ֏ AMD"),
  ["ъ", ""],
  ["ь", ""],
]);

function pairs(list: string): [string, string][] {
  const parts = list.split(" ");
  return parts.flatMap((part, i): [string, string][] => (i % 2 === 0 ? [[part, parts[i + 1]!]] : []));
}
