// What a schema for payloads, inputs and answers may say: the keywords of JSON Schema 2020-12 that are checked. Any other would let everything
// through without a word, so it is refused where it is written.
import { dereference, format, initialBaseURI } from "@cfworker/json-schema";
import { z } from "zod";
import { hint, reasons } from "../../../values/reasons.ts";

type Path = readonly string[];
/** Takes what is wrong, and where in the schema. */
type Fault = (path: Path, reason: string) => void;

const text = z.string();
const names = z.array(text);
const count = z.int().min(0);
const notPattern = { error: "is not a regular expression" };
const type = z.enum(["string", "number", "integer", "boolean", "null", "object", "array"]);
const some = z.array(z.unknown()).min(1);

interface Keyword {
  form: z.ZodType;
  /** Its value is a schema itself, or has some by number or name. */
  has?: "schema" | "schemas";
}

const keywords = new Map<string, Keyword>([
  ...of({ form: z.unknown(), has: "schema" }, "additionalProperties", "unevaluatedProperties", "propertyNames"),
  ...of({ form: z.unknown(), has: "schema" }, "items", "unevaluatedItems", "contains", "not", "if", "then", "else"),
  ...of({ form: some, has: "schemas" }, "allOf", "anyOf", "oneOf", "prefixItems"),
  ...of({ form: z.record(text, z.unknown()), has: "schemas" }, "properties", "dependentSchemas", "$defs", "definitions"),
  ...of({ form: z.record(text, z.unknown()).refine(areNamedByPatterns, notPattern), has: "schemas" }, "patternProperties"),
  ...of({ form: z.union([type, z.array(type).min(1)]) }, "type"),
  ...of({ form: some }, "enum"),
  ...of({ form: names }, "required"),
  ...of({ form: z.record(text, names) }, "dependentRequired"),
  ...of({ form: count }, "minProperties", "maxProperties", "minItems", "maxItems", "minContains", "maxContains"),
  ...of({ form: count }, "minLength", "maxLength"),
  ...of({ form: z.number() }, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
  ...of({ form: z.number().positive() }, "multipleOf"),
  ...of({ form: z.boolean() }, "uniqueItems"),
  ...of({ form: text.refine(isPattern, notPattern) }, "pattern"),
  ...of({ form: z.enum(Object.keys(format)) }, "format"),
  ...of({ form: text }, "$ref"),
  // These say nothing about values.
  ...of({ form: text }, "$schema", "$comment", "title", "description"),
  ...of({ form: z.unknown() }, "const", "default", "examples", "deprecated", "readOnly", "writeOnly"),
]);

function of(entry: Keyword, ...keys: string[]): [string, Keyword][] {
  return keys.map((key) => [key, entry]);
}

/** In the words of schemas: with whole characters, as JSON has them. */
function isPattern(written: string): boolean {
  try {
    new RegExp(written, "u");
    return true;
  } catch {
    return false;
  }
}

function areNamedByPatterns(given: object): boolean {
  return Object.keys(given).every(isPattern);
}

const deepest = 60;

/** Calls `fault` for whatever would not be checked as it is written. */
export function checkKeywords(root: object, fault: Fault): void {
  const refs: { path: Path; ref: string }[] = [];
  let isSound = true;
  const wrong: Fault = (path, reason) => {
    isSound = false;
    fault(path, reason);
  };

  const walk = (schema: unknown, path: Path): void => {
    if (typeof schema === "boolean") return;
    if (typeof schema !== "object" || schema === null || Array.isArray(schema))
      return wrong(path, "must be a schema: an object, or true or false");
    if (path.length > deepest) return wrong(path, "is nested too deep");
    for (const [key, said] of Object.entries(schema)) checkOne(key, said, [...path, key]);
  };
  const checkOne = (key: string, said: unknown, path: Path): void => {
    const keyword = keywords.get(key);
    if (keyword === undefined) return wrong(path, `is not a keyword that is checked${hint(key, keywords.keys())}`);
    const read = keyword.form.safeParse(said, { reportInput: true });
    if (!read.success) for (const [place, reason] of Object.entries(reasons(read.error, path.join(".")))) wrong([place], reason);
    else if (keyword.has === "schema") walk(said, path);
    else if (keyword.has === "schemas") for (const [name, one] of Object.entries(said as object)) walk(one, [...path, name]);
    else if (key === "$ref") refs.push({ path, ref: said as string });
  };

  walk(root, []);
  if (!isSound || refs.length === 0) return;
  const parts = dereference(structuredClone(root));
  for (const { path, ref } of refs)
    if (!ref.startsWith("#") || parts[initialBaseURI.href + ref.replace(/^#$/, "")] === undefined)
      fault(path, "must name a part of this schema, such as #/$defs/person");
}
