// Reads the body of a create or an update, field by field, by the definition. No value is coerced, and no field is dropped
// silently.

import { z } from "zod";
import type { Ctx } from "../core/context.ts";
import { below, collect, type FieldErrors, invalid, refuse } from "../core/errors.ts";
import { type AnyField, type Field, type Input } from "../core/field.ts";
import { type Given, type Parsed, reportUnknown } from "../core/operation.ts";
import type { Create, Patch, Resource, Row } from "../core/resource.ts";
import { isBlank } from "../values/blank.ts";
import { reasons } from "../values/reasons.ts";
import { same } from "../values/same.ts";
import { knows, type UnknownKey, unknownWithin } from "../values/unknown_keys.ts";
import { customTypeOf, readCustom } from "./custom_fields.ts";
import { docOf } from "./field_docs.ts";

/** The fields of a create, normalized, with `custom` as a whole. Defaults are added when it is stored. */
export function readCreate<R extends Resource>(ctx: Ctx, of: R, given: Given): Parsed<Create<R>> {
  const ignored = ignoredFields(of, given);
  const errors: FieldErrors = {};
  const values: Record<string, unknown> = {};
  for (const [key, field] of givenFields(of, given.body, ["write", "create"]))
    collect(errors, () => (values[key] = readField(ctx, field, key, given.body[key])));
  for (const [key, field] of of.columns) {
    if (field.required && field.mode !== "read" && given.body[key] === undefined && key !== of.parent)
      errors[key] = "is required";
  }
  collect(errors, () => {
    const custom = readCustom(ctx, of, given.body, null, customTypeOf(values));
    if (custom) values.custom = custom;
  });
  refuse(errors);
  return { input: values as Create<R>, ignored };
}

/** A record within the body of another. */
export function readNested<R extends Resource>(ctx: Ctx, of: R, body: Record<string, unknown>, place: string): Create<R> {
  const given = { params: {}, query: {}, body, strict: ctx.request.strict === true };
  const { input, ignored } = below(place, () => readCreate(ctx, of, given));
  ctx.reply.ignored.push(...ignored.map((one) => `${place}.${one}`));
  return input;
}

/** The changes of an update. Create-only fields may be repeated but not changed. `before` is the stored record. */
export function readPatch<R extends Resource>(ctx: Ctx, of: R, body: Record<string, unknown>, before: Row<R>): Patch<R> {
  const present = before as Record<string, unknown>;
  const errors: FieldErrors = {};
  const values: Record<string, unknown> = {};
  for (const [key, field] of givenFields(of, body, ["write"]))
    collect(errors, () => (values[key] = readField(ctx, field, key, body[key], present[key])));
  for (const [key, field] of givenFields(of, body, ["create"])) {
    // The stored value is accepted even if a create would refuse it by now; any other value is refused.
    const refused: FieldErrors = {};
    const value = collect(refused, () => readField(ctx, field, key, body[key], present[key]));
    const given = Object.keys(refused).length === 0 ? value : body[key];
    if (!isPresent(ctx, field, key, given, present)) errors[key] = "cannot be changed";
  }
  collect(errors, () => {
    const custom = readCustom(ctx, of, body, before.custom ?? {}, customTypeOf(present));
    if (custom) values.custom = custom;
  });
  refuse(errors);
  return values as Patch<R>;
}

/** Whether a create-only field is given as it is. What is used once and not stored, such as the bytes of a file, is nothing then. */
function isPresent(ctx: Ctx, field: Field | Input, key: string, given: unknown, present: Record<string, unknown>): boolean {
  if (field.source === "column") return same(given, present[key]);
  const { shown, later } = field;
  if (typeof later === "function") return same(given, later(present));
  if (shown?.source === "label") return same(given, ctx.directory.find(shown.to, present[shown.ref] as string)?.[shown.field]);
  // What is read from other rows is shown on updates, and may be sent back.
  return later === "ignored" || shown !== null || given === null;
}

/** The body fields that are unknown here. Under `strict` they are refused. */
export function ignoredFields(of: Resource, { body, strict }: Given): string[] {
  const known = knownFields(of);
  const unknown: UnknownKey[] = [];
  for (const key in body) {
    const value = body[key];
    if (!known.has(key) && !key.startsWith("custom.")) unknown.push({ place: key, known: writable(of), always: false });
    else if (typeof value === "object" && value !== null) unknown.push(...unknownInField(of.fields[key], value, key));
  }
  return reportUnknown(unknown, strict);
}

/** What reads show within the field counts as known too. */
function unknownInField(field: AnyField | undefined, value: object, key: string): readonly UnknownKey[] {
  if (field === undefined || (field.source !== "column" && field.source !== "input") || field.mode === "read") return [];
  const shown = field.source === "column" ? field.output : field.shown?.output;
  const isShown = ({ place, always }: UnknownKey) => !always && shown !== undefined && knows(shown, place.split(".").slice(1));
  return unknownWithin(field.schema, value, key).filter((one) => !isShown(one));
}

const known = new WeakMap<Resource, ReadonlySet<string>>();

// Read-only fields are known, so that a client can write back what it has read. They are ignored.
function knownFields(of: Resource): ReadonlySet<string> {
  let names = known.get(of);
  if (names === undefined) {
    const fields = Object.keys(of.fields).filter((key) =>
      key === "custom" ? of.custom !== undefined : (of.fields[key] as Field).hidden !== true,
    );
    const related = Object.keys(of.expand ?? {}).flatMap((relation) => [relation, `${relation}_has_more`]);
    known.set(of, (names = new Set([...fields, ...related, ...(of.alsoShown ?? [])])));
  }
  return names;
}

/** Nobody is advised to send what would be ignored. */
function* writable(of: Resource): Iterable<string> {
  for (const [key, field] of Object.entries(of.fields) as [string, AnyField][])
    if ((field.source === "column" || field.source === "input") && field.mode !== "read" && key !== "custom") yield key;
}

/** The fields of a body that may be set in these modes. */
function givenFields(of: Resource, body: Record<string, unknown>, modes: readonly string[]): [string, Field | Input][] {
  const given: [string, Field | Input][] = [];
  for (const key in body) {
    const field = of.fields[key] as AnyField | undefined;
    if ((field?.source === "column" || field?.source === "input") && modes.includes(field.mode)) given.push([key, field]);
  }
  return given;
}

/** The stored form of a given value. A refusal names the field's key. */
function readField(ctx: Ctx, field: Field | Input, key: string, given: unknown, before?: unknown): unknown {
  // Blank text becomes null, unless it is the stored value: a client can write back what it has read.
  const isEmpty = typeof given === "string" && isBlank(given);
  const value = isEmpty && given === before ? given : readValue(field, isEmpty ? "" : given, key);
  if (field.source !== "column" || field.normalize === null || value === null) return value;
  return below(key, () => field.normalize!(value, ctx));
}

function readValue(field: Field | Input, given: unknown, key: string): unknown {
  if (given === null) return nullValue(field, key);
  if (given === "" && field.source === "column" && field.nullable) return null;
  const result = field.schema.safeParse(given, { reportInput: true });
  if (!result.success) throw invalid(reasons(result.error, key));
  return result.data;
}

function nullValue(field: Field | Input, key: string): unknown {
  if (field.source === "input" || field.nullable) return null;
  if (Array.isArray(field.default)) return [];
  throw invalid({ [key]: "must not be null" });
}

/** The schema of a create's or update's body, for the description. */
export function inputSchema(of: Resource, verb: "create" | "update"): z.ZodType {
  const shape: Record<string, z.ZodType> = {};
  for (const [key, field] of Object.entries(of.fields) as [string, Field | Input][]) {
    if ((field.source !== "column" && field.source !== "input") || field.mode === "read" || key === of.parent) continue;
    if (verb === "update" && field.mode === "create") continue;
    let schema: z.ZodType = field.source === "column" && field.nullable ? field.schema.nullable() : field.schema;
    if (verb === "update" || field.source === "input" || !field.required) schema = schema.optional();
    const doc = docOf(key, field);
    shape[key] = doc === "" ? schema : schema.describe(doc);
  }
  return of.custom ? z.looseObject(shape) : z.object(shape);
}
