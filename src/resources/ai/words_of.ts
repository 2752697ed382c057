// The text of an activity, as a person wrote or heard it.
import { fromHtml } from "../../values/rich_text.ts";

/** A row of any kind of activity. */
export type Spoken = Readonly<Record<string, unknown>>;

const bodies = ["body_text", "text", "note", "summary", "transcript"] as const;

/** Without what it quotes, and without markup. Empty for an activity without words. */
export function wordsOf(one: Spoken): string {
  const parts = [one.subject, one.title, ...bodies.map((key) => one[key])].filter(
    (part): part is string => typeof part === "string" && part !== "",
  );
  if (parts.length <= 1 && typeof one.body_html === "string") parts.push(fromHtml(one.body_html).text);
  return [...new Set(parts)].map(unquoted).join("\n").trim();
}

/** Lines that quote an earlier message would be read as new ones. */
const unquoted = (text: string): string =>
  text
    .split(/\r?\n/)
    .filter((line) => !/^\s*>/.test(line))
    .join("\n");
