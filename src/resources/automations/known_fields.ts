// Whether the kind of record that a plan is about has a field of a name.
import type { Ctx } from "../../core/context.ts";
import type { FieldErrors } from "../../core/errors.ts";
import type { AnyField } from "../../core/field.ts";
import type { Resource } from "../../core/resource.ts";
import { type CustomField, customFieldsOf, findField } from "../../records/custom_fields.ts";
import { partsOf } from "../../records/parts.ts";
import { aNoun } from "../../records/standard_operation.ts";
import { hint } from "../../values/reasons.ts";
import { missingBelow } from "./json_paths.ts";
import { listNames } from "./related_lists.ts";

export interface FieldCheck {
  ctx: Ctx;
  errors: FieldErrors;
  /** The kind of record it is about. Undefined when that is not known before it runs. */
  of: Resource | undefined;
  /** It is a related record: the records that it names in turn are not read. */
  isRelated?: true;
  /** It is the record of an event that a run waits for. What the run knows is not there. */
  isAwaited?: true;
}

/** A field that the record has, whether a read shows it or not. */
export function checkKnown({ ctx, errors, of }: FieldCheck, name: unknown, at: string): void {
  if (typeof name !== "string" || of === undefined || customOf(ctx, of, name) !== undefined) return;
  const [first = ""] = name.split(".");
  const known = kindsOf(of).flatMap((kind) => Object.keys(kind.fields));
  if (!known.includes(first) || first === "custom")
    errors[at] = notOf(of, name, first === "custom" ? customNames(ctx, of) : known);
}

/** A path below a record that is read: its field, a list of what belongs to it, or a field of a record that it names. */
export function checkRead(check: FieldCheck, path: string, at: string): void {
  const reason = check.of === undefined ? null : unreadable(check, check.of, path);
  if (reason !== null) check.errors[at] = reason;
}

function unreadable({ ctx, isRelated }: FieldCheck, of: Resource, path: string): string | null {
  const [first = "", second, ...more] = path.split(".");
  if (first === "custom") return customReason(ctx, of, path);
  // What is only asked for by name is there for those who ask: the related records of a condition.
  const known = kindsOf(of).flatMap((kind) => (isRelated ? Object.keys(kind.fields) : shownBy(kind)));
  const lists = isRelated ? [] : listNames(ctx, of);
  if (known.includes(first) && second !== undefined && namedBy(ctx, of, first) === null)
    return missingInField(of, first, [second, ...more]);
  if (known.includes(first) || lists.includes(first)) return null;
  const target = isRelated || second === undefined ? null : namedBy(ctx, of, first);
  if (target === null) return notOf(of, path, [...known, ...lists]);
  return target === undefined ? null : unreadableBelow(ctx, target, path.slice(first.length + 1));
}

/** Of a record that another one names there is what a read of it shows. */
export function unreadableBelow(ctx: Ctx, of: Resource, path: string): string | null {
  const [first = "", ...more] = path.split(".");
  if (first === "custom") return customReason(ctx, of, path);
  const known = kindsOf(of).flatMap(shownBy);
  return known.includes(first) ? missingInField(of, first, more) : notOf(of, path, known);
}

/** What stands below a field of its own: one of the kinds must have it. */
function missingInField(of: Resource, name: string, words: readonly string[]): string | null {
  const fields = kindsOf(of).flatMap((kind) => (kind.fields[name] as AnyField | undefined) ?? []);
  const found = fields.map((field) => ("output" in field ? missingBelow(field.output, name, words) : null));
  return found.length === 0 || found.includes(null) ? null : found[0]!;
}

function customReason(ctx: Ctx, of: Resource, path: string): string | null {
  const [, second] = path.split(".");
  const known = customNames(ctx, of);
  return second === undefined || known.includes(`custom.${second}`) ? null : notOf(of, path, known);
}

/** The kind of record that a record names by a word such as `lead`. Null for none, undefined for one of some kinds. */
function namedBy({ registry }: Ctx, of: Resource, word: string): Resource | undefined | null {
  const columns = word === "owner" ? ["owner_id", "user_id"] : [`${word}_id`];
  const fields = kindsOf(of).flatMap((kind) => columns.flatMap((one) => (kind.fields[one] as AnyField) ?? []));
  const [field] = fields;
  if (field === undefined) return null;
  return field.source === "column" && field.ref !== null ? registry.resource(field.ref.to) : undefined;
}

const kindsOf = (of: Resource): readonly Resource[] => of.kinds?.of ?? [of];

const shownBy = (of: Resource): string[] => [
  ...partsOf(of).flatMap(({ key, isOnDemand }) => (isOnDemand ? [] : [key])),
  ...Object.entries(of.expand ?? {}).flatMap(([name, { unasked }]) => (unasked ? [name] : [])),
];

const customNames = ({ directory }: Ctx, of: Resource): string[] =>
  kindsOf(of).flatMap(({ custom }) => (custom === undefined ? [] : [...customFieldsOf(directory, custom).keys()]));

const notOf = (of: Resource, name: string, known: readonly string[]): string =>
  `is not a field of ${aNoun(of)}${hint(name, known)}`;

export const customOf = (ctx: Ctx, of: Resource, name: string): CustomField | undefined =>
  of.custom !== undefined && name.startsWith("custom.")
    ? findField(customFieldsOf(ctx.directory, of.custom), name)?.[1]
    : undefined;
