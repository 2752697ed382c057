// Small parts of sentences about records.
import { addDays, dayIn, todayIn } from "../../values/time.ts";

/** `one contact`, `3 contacts`. */
export const counted = (count: number, one: string): string => (count === 1 ? `one ${one}` : `${count} ${one}s`);

/** `a, b and c`; of more than `most`, `a, b and 3 more`. */
export function listed(all: readonly string[], most = 3): string {
  const shown = all.length > most ? [...all.slice(0, most - 1), `${all.length - most + 1} more`] : all;
  return shown.length < 2 ? (shown[0] ?? "") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** The day of an instant in a zone: `2026-01-31`, `today`, `yesterday`. */
export function dayInWords(instant: string, now: Date, zone: string): string {
  const day = dayIn(instant, zone).toString();
  const today = todayIn(now, zone);
  return day === today ? "today" : day === addDays(today, -1) ? "yesterday" : `on ${day}`;
}

/** Whole sentences, as many as fit. At least the first. */
export function within(sentences: readonly string[], maxWords: number): string {
  const kept: string[] = [];
  let words = 0;
  for (const sentence of sentences.filter((one) => one !== "")) {
    words += sentence.split(/\s+/).length;
    if (kept.length > 0 && words > maxWords) break;
    kept.push(sentence);
  }
  return kept.join(" ").split(/\s+/).slice(0, maxWords).join(" ");
}

/** In quotation marks, on one line, at most this long. */
export function quoted(text: string, max = 160): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `“${line.length > max ? `${line.slice(0, max).toWellFormed().trimEnd()} …` : line}”`;
}
