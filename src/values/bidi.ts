// Text that is read from right to left, in the order in which it is drawn.
import bidiJs from "bidi-js";

// Its types describe an ES module, but Node loads it as CommonJS.
const bidi = (bidiJs as unknown as typeof bidiJs.default)();

/** Letters that are read from right to left, and what changes the direction. */
const turns =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\u0600-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export const hasRightToLeft = (text: string): boolean => turns.test(text);

/** A part of a sentence whose letters leave the direction of the others as it is. `oneLine` has taken out what would end it early. */
export const isolated = (part: string): string => (hasRightToLeft(part) ? `\u2068${part}\u2069` : part);

/** Text of one direction. */
export interface Run {
  text: string;
  rightToLeft: boolean;
}

/** The direction of a paragraph is that of its first letter that has one. */
export const isRightToLeft = (paragraph: string): boolean =>
  hasRightToLeft(paragraph) && bidi.getEmbeddingLevels(paragraph, "auto").paragraphs[0]!.level % 2 === 1;

/** The runs of a line from left to right. The text of each is in its own order, with brackets turned round where they have to be. */
export function runsOf(line: string, rightToLeft: boolean): Run[] {
  if (line === "") return [];
  if (!rightToLeft && !hasRightToLeft(line)) return [{ text: line, rightToLeft: false }];
  const found = bidi.getEmbeddingLevels(line, rightToLeft ? "rtl" : "ltr");
  const mirrored = bidi.getMirroredCharactersMap(line, found.levels);
  const runs: { text: string; level: number }[] = [];
  for (let i = 0; i < line.length; i++) {
    const level = found.levels[i]!;
    const letter = mirrored.get(i) ?? line[i]!;
    const last = runs.at(-1);
    if (last !== undefined && last.level === level) last.text += letter;
    else runs.push({ text: letter, level });
  }
  return inOrder(runs).map(({ text, level }) => ({ text, rightToLeft: level % 2 === 1 }));
}

/** From the highest level down, what is at least as high is turned round: rule L2 of the Unicode Bidirectional Algorithm. */
function inOrder<T extends { level: number }>(runs: readonly T[]): T[] {
  const ordered = [...runs];
  const highest = Math.max(...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    let from = 0;
    while (from < ordered.length) {
      let to = from;
      while (to < ordered.length && ordered[to]!.level >= level) to++;
      if (to > from) ordered.splice(from, to - from, ...ordered.slice(from, to).reverse());
      from = to + 1;
    }
  }
  return ordered;
}
