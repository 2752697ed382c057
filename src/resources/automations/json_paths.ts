// Whether a path leads to something in a value of a known shape, such as `emails.0.email` of a contact.
import { z } from "zod";
import { hint } from "../../values/reasons.ts";
import { isObject } from "./config.ts";

type Schema = Record<string, unknown>;

/** Why a path leads to nothing below a field of this shape; null if it may. */
export function missingBelow(shape: z.ZodType, field: string, words: readonly string[]): string | null {
  return words.length === 0 ? null : missing(schemaOfShape(shape), field, words);
}

const known = new WeakMap<z.ZodType, Schema>();

function schemaOfShape(shape: z.ZodType): Schema {
  let schema = known.get(shape);
  if (schema === undefined) {
    schema = z.toJSONSchema(shape, { io: "output", unrepresentable: "any" }) as Schema;
    known.set(shape, schema);
  }
  return schema;
}

function missing(schema: unknown, at: string, [word, ...rest]: readonly string[]): string | null {
  if (word === undefined || !isObject(schema)) return null;
  const kinds = [schema.anyOf ?? schema.oneOf ?? [schema]].flat().filter((one) => isObject(one) && one.type !== "null");
  const found = kinds.map((one) => missingIn(one as Schema, at, word, rest));
  return found.length === 0 || found.includes(null) ? null : found[0]!;
}

function missingIn(schema: Schema, at: string, word: string, rest: readonly string[]): string | null {
  const { properties, additionalProperties, items } = schema;
  const [type, ...others] = [schema.type].flat().filter((one) => one !== "null");
  if (others.length > 0) return null;
  if (type === "array") {
    if (word === "size") return null;
    if (/^(\d+|first|last)$/.test(word)) return missing(items, `${at}.${word}`, rest);
    return `has ${word} below ${at}, which is a list: name a place in it, such as ${at}.0`;
  }
  if (type === "object" && isObject(properties) && Object.hasOwn(properties, word))
    return missing(properties[word], `${at}.${word}`, rest);
  if (type === "object" && additionalProperties === false)
    return `has ${word} below ${at}, which does not have that${hint(word, Object.keys((properties ?? {}) as object))}`;
  if (["string", "number", "integer", "boolean"].includes(String(type)) && word !== "size")
    return `has ${word} below ${at}, which is a value by itself`;
  return null;
}
