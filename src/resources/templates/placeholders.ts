// What the placeholders of messages can name. One that names nothing comes out empty at every recipient, so whoever writes it is told.
import { z } from "zod";
import type { Directory } from "../../core/directory.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { namesInTemplate } from "../../services/liquid.ts";
import { hint } from "../../values/reasons.ts";

/** `custom`: the names and ids of custom fields. `any`: whatever stands below it. `value`: nothing does. */
type Shape = "value" | "any" | "custom" | { readonly [name: string]: Shape };

const values = <const N extends string>(...names: N[]) =>
  Object.fromEntries(names.map((name) => [name, "value"])) as Record<N, "value">;

const person = values("id", "first_name", "last_name", "name", "email");

/** Below each first word. */
export const letters = {
  lead: {
    ...values("id", "display_name", "name", "url", "description", "industry", "status", "status_label", "email", "phone"),
    address: "any",
    owner: person,
    custom: "custom",
  },
  contact: { ...values("id", "display_name", "name", "title", "first_name", "last_name", "email", "phone"), custom: "custom" },
  opportunity: {
    ...values("id", "value_currency", "value_period", "confidence", "note", "expected_close_date", "value", "status"),
    custom: "custom",
  },
  user: { ...person, ...values("phone", "signature") },
  organization: values("id", "name", "currency"),
  unsubscribe_link: "value",
} as const satisfies Shape;

/** What the placeholders below a first word are filled in with. */
export type Filled<Word extends Exclude<keyof typeof letters, "unsubscribe_link">> = Record<
  keyof (typeof letters)[Word],
  unknown
>;

/** The first words of the placeholders of messages. */
export const namesInLetters = Object.keys(letters);

/** What templates know of every list and text. */
export const isOfAnyValue = (word: string): boolean => ["size", "first", "last"].includes(word);

/** Why the words of a placeholder lead to nothing; null when they do. */
export function reasonOfPlaceholder(directory: Directory, words: readonly string[]): string | null {
  let here: Shape = letters;
  for (const [i, word] of words.entries()) {
    if (here === "any" || isOfAnyValue(word)) return null;
    if (here === "value") return `has ${word} below ${words[i - 1]}, which is a value by itself`;
    const known: readonly string[] = here === "custom" ? customNames(directory, words[0]!) : Object.keys(here);
    if (!known.includes(word)) {
      const where = i === 0 ? "a first word" : `offered by ${words.slice(0, i).join(".")}`;
      return `names ${word}, which is not ${where}${hint(word, known)}`;
    }
    here = here === "custom" ? "any" : (here as Exclude<Shape, string>)[word]!;
  }
  return null;
}

const customNames = (directory: Directory, kind: string): string[] =>
  [...customFieldsOf(directory, kind).values()].flatMap(({ name, id }) => [name, id]);

/** Why the first of its placeholders that names nothing does not; null when all do. `besides` are first words that are filled in too. */
export function problemOfPlaceholders(directory: Directory, source: string, besides: readonly string[] = []): string | null {
  for (const words of namesInTemplate(source) ?? []) {
    const reason = besides.includes(words[0]!) ? null : reasonOfPlaceholder(directory, words);
    if (reason !== null) return reason;
  }
  return null;
}

export const shownWarnings = z.array(z.strictObject({ code: z.string(), path: z.string(), message: z.string() }));

/** Of a template, whose texts are given by their fields: sequences fill in `vars` too. */
export const warningsOf = (directory: Directory, texts: Readonly<Record<string, string>>): z.output<typeof shownWarnings> =>
  Object.entries(texts).flatMap(([path, source]) => {
    const message = problemOfPlaceholders(directory, source, ["vars"]);
    return message === null ? [] : [{ code: "ref_unknown", path, message }];
  });
