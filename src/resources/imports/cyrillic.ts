// Tells Cyrillic encodings apart. Their letters stand in runs, unlike accents among Latin letters, and some are far more frequent.
const encodings = ["windows-1251", "koi8-r", "ibm866", "iso-8859-5"] as const;

/** Of Russian, Ukrainian and Bulgarian; two of three letters in a text. */
const frequent = new Set("оеаинтсрвлкі");
const lettersMin = 12;
/** Real texts reach 0.6 and more; the same bytes read as another encoding stay below 0.35. */
const scoreMin = 0.5;

/** The encoding that makes plain Cyrillic words of these bytes; null where none does. */
export function cyrillicOf(bytes: Uint8Array): string | null {
  const scores = encodings.map((encoding) => ({ encoding, score: scoreOf(new TextDecoder(encoding).decode(bytes)) }));
  const best = scores.reduce((one, other) => (other.score > one.score ? other : one));
  return best.score >= scoreMin ? best.encoding : null;
}

function scoreOf(text: string): number {
  const high = [...text.matchAll(/[^\0-\x7f]/g)].length;
  const words = text.match(/\p{Script=Cyrillic}{2,}/gu) ?? [];
  const letters = words.join("");
  if (letters.length < lettersMin) return 0;
  const common = [...letters.toLowerCase()].filter((one) => frequent.has(one)).length;
  // No word goes from small letters to capital ones.
  const odd = words.filter((one) => /\p{Ll}\p{Lu}/u.test(one)).length;
  return (common / letters.length) * (letters.length / high) * (1 - odd / words.length);
}
