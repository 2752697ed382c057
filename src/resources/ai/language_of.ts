// The language of a text, by its most frequent small words.

export const languages = ["en", "de", "fr", "es"] as const;
export type Language = (typeof languages)[number];

const smallWords: readonly (readonly [Language, ReadonlySet<string>])[] = [
  ["en", new Set("the and to of is you we for with please this that will have on it our your are be".split(" "))],
  ["de", new Set("der die das und zu ist sie wir für mit bitte nicht ein eine den dem ich auf es uns wird am im".split(" "))],
  ["fr", new Set("le la les et de est vous nous pour avec une un des que dans sur pas merci du au il".split(" "))],
  ["es", new Set("el la los las y de es usted nosotros para con por favor una un que en no del al nos su".split(" "))],
];

/** English where the text does not say more for another language. */
export function languageOf(text: string): Language {
  const words =
    text
      .slice(0, 10_000)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  let best: Language = "en";
  let most = 0;
  for (const [language, small] of smallWords) {
    const count = words.filter((word) => small.has(word)).length;
    if (count > most) [best, most] = [language, count];
  }
  return best;
}
