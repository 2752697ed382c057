// What a JSON Schema of the description says, for people: its type in words, its members, and a value that it allows.

export type Schema = Record<string, any>;

/** A field of an object. */
export interface Member {
  name: string;
  schema: Schema;
  required: boolean;
  doc: string;
}

/** Follows a reference into the components of the description. */
export type Resolve = (schema: Schema) => Schema;

export const resolveIn =
  (description: Schema): Resolve =>
  (schema) => {
    const path: string | undefined = schema?.$ref;
    return path === undefined
      ? (schema ?? {})
      : path
          .slice(2)
          .split("/")
          .reduce((at, key) => at[key], description);
  };

/** The alternatives of a schema besides null. */
const alternatives = (schema: Schema): Schema[] =>
  ((schema.anyOf ?? schema.oneOf ?? [schema]) as Schema[]).filter((one) => one.type !== "null");

export const isNullable = (schema: Schema): boolean =>
  (Array.isArray(schema.type) && schema.type.includes("null")) ||
  ((schema.anyOf ?? schema.oneOf ?? []) as Schema[]).some((one) => one.type === "null");

/** The schema without null, if only one alternative is left. */
export function plain(schema: Schema, resolve: Resolve): Schema {
  const known = resolve(schema);
  const others = alternatives(known);
  return others.length === 1 && others[0] !== known ? plain(others[0]!, resolve) : known;
}

/** The type beside null. */
export const kindOf = (schema: Schema): string | undefined =>
  Array.isArray(schema.type) ? schema.type.find((one: string) => one !== "null") : schema.type;

/** `text`, `list of texts`, `time`, `one of several`: what a reader calls it. */
export function typeInWords(given: Schema, resolve: Resolve): string {
  const schema = plain(given, resolve);
  const several = alternatives(schema);
  if (several.length > 1) return [...new Set(several.map((one) => typeInWords(one, resolve)))].join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return "choice";
  const kind = kindOf(schema);
  if (kind === "array") return `list of ${plural(typeInWords(schema.items ?? {}, resolve))}`;
  return (kind === "string" ? formats[schema.format] : words[kind ?? ""]) ?? (kind === undefined ? "any value" : "text");
}

const formats: Record<string, string> = { "date-time": "time", date: "date", uri: "web address", email: "e-mail address" };
const words: Record<string, string> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  object: "object",
};
const plural = (word: string): string =>
  word === "any value" ? "any values" : /^[\w ]*\w$/.test(word) && !word.includes(" or ") ? `${word}s` : word;

/** The values of a choice, or of a list of choices. */
export function choicesOf(given: Schema, resolve: Resolve): unknown[] {
  const schema = plain(given, resolve);
  if (schema.enum !== undefined) return schema.enum;
  return kindOf(schema) === "array" ? choicesOf(schema.items ?? {}, resolve) : [];
}

/** The fields of an object, or of the objects of a list. */
export function membersOf(given: Schema, resolve: Resolve): Member[] {
  const schema = plain(given, resolve);
  if (kindOf(schema) === "array") return membersOf(schema.items ?? {}, resolve);
  const required: readonly string[] = schema.required ?? [];
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, one]) => ({
    name,
    schema: one,
    required: required.includes(name),
    doc: one.description ?? resolve(one).description ?? "",
  }));
}

/** `at most 255 characters`, `0 or more`: what else a value must be. */
export function boundsOf(given: Schema, resolve: Resolve): string {
  const { maxLength, minimum, maximum, maxItems, default: usual } = plain(given, resolve);
  const isWide = (value: number | undefined) => value === undefined || Math.abs(value) >= 1e15;
  const said = [
    maxLength === undefined ? "" : `at most ${maxLength.toLocaleString("en")} characters`,
    maxItems === undefined ? "" : `at most ${maxItems.toLocaleString("en")}`,
    isWide(minimum) ? "" : isWide(maximum) ? `${minimum} or more` : `${minimum} to ${maximum.toLocaleString("en")}`,
    isWide(minimum) && !isWide(maximum) ? `at most ${maximum.toLocaleString("en")}` : "",
    usual === undefined ? "" : `by default ${JSON.stringify(usual)}`,
  ];
  return said.filter((one) => one !== "").join(", ");
}
