// Custom fields: fields that an organization adds to a kind of record. Their values are in one column `custom`, under their wire
// names (`custom.cf_…`), so a read copies them into the answer as they are. Their definitions come from the directory.

import type { Ctx } from "../core/context.ts";
import type { Directory } from "../core/directory.ts";
import { bad, below, collect, type FieldErrors, invalid, Problem, refuse, statuses } from "../core/errors.ts";
import type { Resource } from "../core/resource.ts";
import { isBlank } from "../values/blank.ts";
import { isId } from "../values/id.ts";
import { isExact, notExact } from "../values/number.ts";
import { hint, notAmong } from "../values/reasons.ts";
import { same } from "../values/same.ts";
import { parseDate, parseTimestamp } from "../values/time.ts";
import { parseUrl } from "../values/url.ts";

/** The part of a custom field's definition that this folder needs; `resources/custom_data` has the whole. */
export interface CustomField {
  id: string;
  object_type: string;
  name: string;
  type:
    | "text"
    | "textarea"
    | "number"
    | "date"
    | "datetime"
    | "choices"
    | "user"
    | "contact"
    | "custom_object"
    | "hidden"
    | "url"
    | "boolean";
  choices: string[] | null;
  accepts_multiple_values: boolean;
  required: boolean;
  editable_with_roles: string[];
  custom_activity_type_id: string | null;
  custom_object_type_id: string | null;
  referenced_custom_type_id: string | null;
  associations: (Place & { required?: boolean; editable_with_roles?: string[] })[];
}

/** Where values of a field are: a kind of record, or one type of custom activities or objects. */
interface Place {
  object_type: string;
  custom_activity_type_id?: string;
  custom_object_type_id?: string;
}

/** The part of `custom_data_change` that this folder needs: values that a job removes or converts. */
interface Change {
  field_id: string | null;
  places: Place[];
  staying: Place[];
  becomes: Pick<CustomField, "type" | "choices" | "accepts_multiple_values"> | null;
}

const changesOf = (directory: Directory): readonly Change[] =>
  directory.has("custom_data_change") ? (directory.all("custom_data_change") as unknown as Change[]) : [];

/**
 * The names of values that are deleted and still stored, in records of a kind and type. Reads leave them out, and the next change of
 * a record removes them.
 */
export function deletedValues(directory: Directory, objectType: string, typeId: string | null): ReadonlySet<string> {
  return directory.memo(`deleted values ${objectType} ${typeId}`, () => {
    const isHere = (at: Place) =>
      at.object_type === objectType && (at.custom_activity_type_id ?? at.custom_object_type_id ?? typeId) === typeId;
    const here = removalsOf(directory).filter(({ places, staying }) => places.some(isHere) && !staying.some(isHere));
    return new Set(here.map(({ field_id }) => `custom.${field_id}`));
  });
}

/** The same names for all kinds of record: a stored rendering may still show them. */
export const allDeletedValues = (directory: Directory): readonly string[] =>
  directory.memo("deleted values", () => removalsOf(directory).map(({ field_id }) => `custom.${field_id}`));

const removalsOf = (directory: Directory): readonly Change[] =>
  changesOf(directory).filter(({ field_id, becomes }) => field_id !== null && becomes === null);

/** The definitions by which values are written and found: a field whose values are being converted is what it becomes. */
function definitionsOf(directory: Directory): readonly CustomField[] {
  const fields = directory.all("custom_field") as unknown as CustomField[];
  const becoming = new Map(changesOf(directory).map(({ field_id, becomes }) => [field_id, becomes]));
  return fields.map((field) => (becoming.get(field.id) ? { ...field, ...becoming.get(field.id) } : field));
}

/** The fields of an object type by wire name (`custom.cf_…`): its own first, then the shared ones associated with it. */
export function customFieldsOf(
  directory: Directory,
  objectType: string,
  typeId: string | null = null,
): ReadonlyMap<string, CustomField> {
  return directory.memo(`custom ${objectType} ${typeId}`, () => {
    const fields = new Map<string, CustomField>();
    if (!directory.has("custom_field")) return fields;
    const all = definitionsOf(directory);
    const typed = (of: { custom_activity_type_id?: string | null; custom_object_type_id?: string | null }) =>
      typeId === null || (of.custom_activity_type_id ?? of.custom_object_type_id ?? typeId) === typeId;
    for (const field of all) if (field.object_type === objectType && typed(field)) fields.set(`custom.${field.id}`, field);
    for (const field of all) {
      const association =
        field.object_type === "shared" && field.associations.find((to) => to.object_type === objectType && typed(to));
      if (association)
        fields.set(`custom.${field.id}`, {
          ...field,
          required: association.required ?? false,
          editable_with_roles: association.editable_with_roles ?? [],
        });
    }
    return fields;
  });
}

/** The columns of records whose fields depend on their custom type. */
export const customTypeColumns = ["custom_activity_type_id", "custom_object_type_id"] as const;

/** The id of the custom type of a record, whose fields depend on more than the kind of record; null for other records. */
export const customTypeOf = (values: Record<string, unknown>): string | null =>
  ((values.custom_activity_type_id ?? values.custom_object_type_id) as string | undefined) ?? null;

/**
 * Reads the `custom.…` keys of a body and returns the new column `custom`, or undefined if there are none. A key names a field by
 * id, or by its name if only one field has it. In an update, `.add` and `.remove` add a value to a list or take one away.
 */
export function readCustom(
  ctx: Ctx,
  of: Resource,
  body: Record<string, unknown>,
  before: Record<string, unknown> | null = {},
  typeId: string | null = null,
): Record<string, unknown> | undefined {
  if (of.custom && !isObjectOrNull(body.custom)) throw invalid({ custom: "must be an object of field names and their values" });
  const given = customKeys(body);
  if (given.length === 0) return undefined;
  const fields = of.custom ? customFieldsOf(ctx.directory, of.custom, typeId) : new Map<string, CustomField>();
  const result = { ...before };
  const errors: FieldErrors = {};
  const forbidden: FieldErrors = {};

  for (const [key, value] of given) {
    const { name, change } = splitChange(key);
    const found = findField(fields, name);
    if (found === null) {
      // The field of a stored value may be gone. It can be sent as it was read, or unset.
      const isStored = before !== null && Object.hasOwn(before, name);
      if (isStored && value === null) delete result[name];
      if (isStored && (value === null || same(value, before[name]))) continue;
      errors[key] = unknownReason(fields, name);
      continue;
    }
    if (change !== null && before === null) {
      errors[key] = "works in updates only: send the whole list";
      continue;
    }
    const [wireName, field] = found;
    // A stored value may always be sent again, even a choice that is no longer offered or a field that the role may only read.
    if (change === null && same(value, before?.[wireName])) continue;
    if (!editable(ctx, field)) {
      forbidden[key] = "your role may not change this field";
      continue;
    }
    const stored = collect(errors, () =>
      below(key, () =>
        storedValue(
          ctx,
          field,
          change === null ? value : changedList(result[wireName], change, value, field),
          before?.[wireName],
        ),
      ),
    );
    if (stored == null || (Array.isArray(stored) && stored.length === 0)) delete result[wireName];
    else result[wireName] = stored;
  }
  if (Object.keys(forbidden).length > 0) throw new Problem(403, statuses[403]!, forbidden);
  refuse(errors);
  return result;
}

/** The stored form of a value; null for an empty one. */
const storedValue = (ctx: Ctx, field: CustomField, value: unknown, present: unknown): unknown =>
  value === null || (typeof value === "string" && isBlank(value)) ? null : checkValue(ctx, field, value, present);

const isObjectOrNull = (value: unknown): boolean => value === undefined || (typeof value === "object" && !Array.isArray(value));

// `custom: {"Name": v}` is the older form of `custom.Name`.
function customKeys(body: Record<string, unknown>): [string, unknown][] {
  const dotted = Object.entries(body).filter(([key]) => key.startsWith("custom."));
  const { custom } = body;
  if (typeof custom !== "object" || custom === null || Array.isArray(custom)) return dotted;
  return [
    ...Object.entries(custom).map(([key, value]): [string, unknown] => [`custom.${key.replace(/^custom\./, "")}`, value]),
    ...dotted,
  ];
}

function splitChange(key: string): { name: string; change: "add" | "remove" | null } {
  const match = /^(.*)\.(add|remove)$/.exec(key);
  return match ? { name: match[1]!, change: match[2] as "add" | "remove" } : { name: key, change: null };
}

/** Finds a field by `custom.cf_…`, or by `custom.<name>` if only one has that name. */
export function findField(fields: ReadonlyMap<string, CustomField>, wireName: string): [string, CustomField] | null {
  const exact = fields.get(wireName);
  if (exact) return [wireName, exact];
  const named = [...fields].filter(([, field]) => `custom.${field.name}` === wireName);
  return named.length === 1 ? named[0]! : null;
}

function unknownReason(fields: ReadonlyMap<string, CustomField>, name: string): string {
  const known = [...fields].flatMap(([key, field]) => [key, `custom.${field.name}`]);
  return `is not a custom field here${hint(name, known)}`;
}

const editable = (ctx: Ctx, field: CustomField) =>
  field.editable_with_roles.length === 0 ||
  field.editable_with_roles.includes(ctx.actor.role_id) ||
  ctx.actor.role_id === "admin";

function changedList(present: unknown, change: "add" | "remove", value: unknown, field: CustomField): unknown {
  if (!field.accepts_multiple_values) bad("takes one value: set it without .add or .remove");
  const list = listOf(present);
  const values = [value].flat();
  return change === "add" ? [...list, ...values] : list.filter((one) => !values.includes(one));
}

/** A value as a list: one that is stored from before the field took several is a list of one. */
const listOf = (value: unknown): unknown[] => [value ?? []].flat();

/** The stored form of a value. Members of a list that are stored already are kept as they are. */
export function checkValue(ctx: Ctx, field: CustomField, value: unknown, present?: unknown): unknown {
  if (!field.accepts_multiple_values) return checkOne(ctx, field, value);
  if (!Array.isArray(value)) return bad("must be a list");
  if (value.length > 200) bad("must have 200 values or fewer");
  const kept = new Set(listOf(present));
  return [...new Set(value.map((one) => (kept.has(one) ? one : checkOne(ctx, field, one))))];
}

/** Whether the field accepts this value, as its value or as one of its list. */
export function takes(ctx: Ctx, field: CustomField, value: unknown): boolean {
  const errors: FieldErrors = {};
  collect(errors, () => checkOne(ctx, field, value));
  return Object.keys(errors).length === 0;
}

/** The stored form of one value, for a field with one value or a list. */
function checkOne(ctx: Ctx, field: CustomField, value: unknown): unknown {
  if (Array.isArray(value)) return bad("must be one value, not a list");
  switch (field.type) {
    case "number":
      if (typeof value !== "number") return bad("must be a number");
      return isExact(value) ? value : bad(notExact);
    case "boolean":
      return typeof value === "boolean" ? value : bad("must be true or false");
    default:
      return typeof value === "string" ? checkText(ctx, field, value) : bad("must be text");
  }
}

function checkText(ctx: Ctx, field: CustomField, value: string): unknown {
  switch (field.type) {
    case "date":
      return parseDate(value, { cutTime: true }) ?? bad("must be a date such as 2026-01-02");
    case "datetime":
      return parseTimestamp(value) ?? bad("must be a time such as 2026-01-02T03:04:05.678Z");
    case "url":
      return parseUrl(value, { prefix: true }) ?? bad("must be a web address");
    case "choices":
      return field.choices?.includes(value) ? value : bad(notAmong(value, field.choices ?? []));
    case "user":
      return ctx.directory.find("user", value) ? value : bad("does not exist");
    case "contact":
      return isId("cont", value) ? value : bad("does not exist");
    case "custom_object":
      return isId("custobj", value) ? value : bad("does not exist");
    default: {
      const max = field.type === "text" ? 4096 : 100_000;
      return value.length <= max ? value : bad(`must be ${max} characters or fewer`);
    }
  }
}
