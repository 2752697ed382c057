// Checks the configs of triggers, conditions and steps against their catalogs. A value may be replaced by a reference or a
// template, and is then known only when the automation runs.
import type { z } from "zod";
import type { FieldErrors } from "../../core/errors.ts";
import { hint, notAmong, reasons } from "../../values/reasons.ts";
import type { Named } from "../shared/named.ts";
import type { Parameter, TypeDefinition } from "./catalog.ts";

export interface Check {
  errors: FieldErrors;
  /** A draft may lack required members. A published automation may not. */
  complete: boolean;
  /** Collects the records that are named, if the caller needs them. */
  named?: Named[];
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The definition of a type. Undefined when there is none, with the reason in `errors`. */
export function typeNamed(
  check: Check,
  catalog: ReadonlyMap<string, TypeDefinition>,
  type: unknown,
  at: string,
): TypeDefinition | undefined {
  if (typeof type !== "string") {
    check.errors[`${at}.type`] = type === undefined ? "is required" : "must be text";
    return undefined;
  }
  const found = catalog.get(type);
  if (found === undefined) {
    check.errors[`${at}.type`] = `is not known${hint(type, catalog.keys())}`;
  }
  return found;
}

/**
 * Checks a config against its type. `passing` are other keys that may stand beside the config's. A `literal` value is needed
 * before there is anything to refer to.
 */
export function checkConfig(
  check: Check,
  of: TypeDefinition,
  config: unknown,
  at: string,
  { passing = [], literal = false }: { passing?: readonly string[]; literal?: boolean } = {},
): void {
  if (!isObject(config)) {
    check.errors[at] = "must be an object";
    return;
  }
  for (const [key, value] of Object.entries(config)) {
    if (passing.includes(key)) continue;
    if (!Object.hasOwn(of.config, key)) check.errors[`${at}.${key}`] = unknownKey(key, Object.keys(of.config));
    else if (value !== null && isDynamic(value) && !literal) checkDynamic(check, value, `${at}.${key}`);
    else if (value !== null) checkParameter(check, of.config[key]!, value, `${at}.${key}`);
  }
  if (!check.complete) return;
  for (const [key, { required }] of Object.entries(of.config))
    if (required && (config[key] === undefined || config[key] === null)) check.errors[`${at}.${key}`] = "is required";
}

export const unknownKey = (key: string, known: readonly string[]): string => `is not known here${hint(key, known)}`;

function checkParameter(check: Check, { schema, names, verbatim = false }: Parameter, value: unknown, at: string): void {
  checkValue(check, schema, value, at, verbatim);
  if (names === undefined) return;
  if (typeof value === "string") check.named?.push({ at, id: value, as: names });
  else if (Array.isArray(value))
    value.forEach((id, i) => typeof id === "string" && check.named?.push({ at: `${at}.${i}`, id, as: names }));
}

function checkValue(check: Check, schema: z.ZodType, value: unknown, at: string, verbatim: boolean): void {
  const result = schema.safeParse(value, { reportInput: true });
  if (!result.success) Object.assign(check.errors, reasons(result.error, at));
  else if (!verbatim) checkWithin(check, value, at);
}

/** All references and templates within a value. */
function checkWithin(check: Check, value: unknown, at: string): void {
  if (isDynamic(value) || (isObject(value) && isWithinSchema(value.$ref))) return checkDynamic(check, value, at);
  if (Array.isArray(value)) value.forEach((one, i) => checkWithin(check, one, `${at}.${i}`));
  else if (isObject(value)) for (const [key, one] of Object.entries(value)) checkWithin(check, one, `${at}.${key}`);
}

/** `{"$ref": path}` or `{"$template": text}`. A `$ref` of a JSON Schema, such as `#/$defs/person`, is neither. */
export const isDynamic = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && ("$ref" in value ? !isWithinSchema(value.$ref) : "$template" in value);

/** Nothing that a run knows has such a name. */
export const isWithinSchema = (ref: unknown): boolean => typeof ref === "string" && ref.startsWith("#");

/** Whether a target is the record that the run is about, which it is by default. */
export const isItself = (target: unknown): boolean =>
  target === undefined || target === null || (isObject(target) && itself.has(String(target.$ref)));

const itself: ReadonlySet<string> = new Set(["record", "record.id", "trigger.record", "trigger.record.id"]);

/** The first words of references. */
export const roots = ["trigger", "record", "steps", "vars", "item", "item_index", "run", "org", "now"];

function checkDynamic(check: Check, value: Record<string, unknown>, at: string): void {
  const [key, ...others] = Object.keys(value);
  if (others.length > 0) check.errors[at] = "must have $ref or $template alone";
  else if (key === "$ref") checkReference(check, value.$ref, `${at}.$ref`);
  else if (typeof value.$template !== "string") check.errors[`${at}.$template`] = "must be text";
  else if (value.$template.length > 100_000) check.errors[`${at}.$template`] = "must be 100000 characters or fewer";
}

function checkReference(check: Check, path: unknown, at: string): void {
  if (typeof path !== "string") check.errors[at] = "must be text";
  else if (!/^[A-Za-z_][\w]*(\.[\w-]+)*$/.test(path)) check.errors[at] = "must be a path such as record.lead_id";
  else if (!roots.includes(path.split(".")[0]!))
    check.errors[at] = `begins with an unknown name: the first word ${notAmong(path.split(".")[0], roots)}`;
}
