// The countries that a text names.
import { isCountry, parseCountry } from "./country.ts";

/** Longer names than "Democratic Republic of the Congo" do not exist. */
const wordsMax = 6;

/** Codes of ISO 3166 in the order of the text: `"shops in Germany, the UK and US"` → `["DE", "GB", "US"]`. */
export function countriesIn(text: string): string[] {
  const words = text.slice(0, 10_000).match(/[\p{L}'’.-]+/gu) ?? [];
  const found = new Set<string>();
  for (let at = 0; at < words.length; ) {
    const [code, length] = countryAt(words, at);
    if (code !== null) found.add(code);
    at += length;
  }
  return [...found];
}

/** The longest name that starts there, and how many words it has. */
function countryAt(words: readonly string[], at: number): [string | null, number] {
  for (let length = Math.min(wordsMax, words.length - at); length > 0; length--) {
    const name = words
      .slice(at, at + length)
      .join(" ")
      .replace(/\.$/, "");
    // Two letters are a code only as people write codes: "in" and "it" are words.
    const isCode = isCountry(name.toUpperCase()) || name.length < 4;
    const code = isCode && !/^(?:[A-Z]{2,3}|U\.S\.?|U\.K\.?)$/.test(name) ? null : parseCountry(name.replaceAll(".", ""));
    if (code !== null) return [code, length];
  }
  return [null, 1];
}
