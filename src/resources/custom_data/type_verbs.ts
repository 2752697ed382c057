// The verbs of types of custom activities and objects.
import type { Ctx } from "../../core/context.ts";
import { below, type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import type { Verbs } from "../../core/operation.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { and, name, sql } from "../../db/sql.ts";
import { refreshDirectory } from "../../records/change.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { readCreate, readPatch } from "../../records/input.ts";
import { lockBehindAll } from "../../records/locks.ts";
import { createRecord, deleteRecord, findRecords, updateRecord } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { placeBehind } from "../shared/positions.ts";
import type { customActivityType } from "./custom_activity_type.ts";
import { customField } from "./custom_field.ts";
import type { customObjectType } from "./custom_object_type.ts";
import { typeColumns } from "./object_types.ts";
import { removeType } from "./remove_type.ts";
import { checkRoles } from "./roles.ts";
import type { GivenField } from "./type_fields.ts";

type Kind = keyof typeof typeColumns;
type Type = Row<typeof customActivityType> & Partial<Row<typeof customObjectType>>;
const lockField = lockBehindAll(customField);
type Given = Partial<Type> & { fields?: GivenField[] | null };

/** The verbs of either kind of type. */
export const typeVerbs = (of: typeof customActivityType | typeof customObjectType, kind: Kind): Omit<Verbs, "lock"> => ({
  async create(ctx, { fields, ...given }: Given) {
    checkType(ctx, null, given);
    const row = store.insert(ctx, of, withPlural(of, given)) as Type;
    if (fields && fields.length > 0) await addFields(ctx, kind, row.id, fields);
    return row;
  },

  async update(ctx, before: Type, { fields, ...patch }: Given) {
    checkType(ctx, before, patch);
    if (fields) await reorderFields(ctx, kind, before.id, fields);
    return store.update(ctx, of, before, withPlural(of, patch, before));
  },

  /** Its fields, all its records, and fields elsewhere that refer to such objects are deleted with it. */
  async delete(ctx, before: Type) {
    await dissociate(ctx, kind, before.id);
    const naming = [sql`t.referenced_custom_type_id = ${before.id}`, sql`t.custom_object_type_id is distinct from ${before.id}`];
    // By their own rules: the values in other records are removed too.
    for (const field of await findRecords(ctx, customField, naming)) await deleteRecord(ctx, customField, field.id);
    await removeType(ctx, of, before);
  },
});

/** The plural is the name with an s by default. */
function withPlural(of: Resource, given: Given, before: Partial<Type> = {}): Given {
  const { name, name_plural } = { ...before, ...given };
  return "name_plural" in of.fields ? { ...given, name_plural: name_plural?.trim() ? name_plural : `${name}s` } : given;
}

function checkType(ctx: Ctx, before: Type | null, { editable_with_roles = [] }: Given): void {
  checkRoles(ctx, editable_with_roles, "editable_with_roles", before?.editable_with_roles);
}

/** A new type gets its own copies of the given fields. Fields read from another type stay with that type. */
async function addFields(ctx: Ctx, kind: Kind, id: string, given: readonly GivenField[]): Promise<void> {
  // The type must be known when its fields are checked.
  await refreshDirectory(ctx);
  const position = await placeBehind(ctx, customField);
  for (const [i, one] of given.entries())
    await below(`fields.${i}`, () => addField(ctx, kind, id, { ...one, position: position + i }));
  await refreshDirectory(ctx);
}

/** A field named by its id is copied, with the other given values. A shared one becomes a field of this type too. */
async function addField(ctx: Ctx, kind: Kind, id: string, given: GivenField): Promise<void> {
  const like = ctx.directory.get(customField, given.id);
  if (given.id !== undefined && like === undefined) throw invalid({ id: "does not exist" });
  if (like?.object_type === "shared") return associate(ctx, kind, id, given);

  const ofType = { custom_activity_type_id: null, custom_object_type_id: null, [typeColumns[kind]]: id };
  const body = { ...like, ...given, ...ofType };
  const { input } = readCreate(ctx, customField, { params: {}, query: {}, body, strict: false });
  await createRecord(ctx, customField, { ...input, object_type: kind } as typeof input);
}

async function associate(ctx: Ctx, kind: Kind, id: string, given: GivenField): Promise<void> {
  if (customFieldsOf(ctx.directory, kind, id).has(`custom.${given.id}`)) return;
  const before = await lockField(ctx, given.id!);
  const { required, editable_with_roles } = given;
  const association = { object_type: kind, [typeColumns[kind]]: id, required, editable_with_roles };
  const patch = readPatch(ctx, customField, { associations: [...before.associations, association] }, before);
  await updateRecord(ctx, customField, before.id, patch);
}

/** Puts the fields into the given order, within their present positions. Shared fields come last and have no position here. */
async function reorderFields(ctx: Ctx, kind: Kind, id: string, given: readonly GivenField[]): Promise<void> {
  checkOrder(ctx, kind, id, given);
  const ofType = [sql`t.object_type = ${kind}`, sql`t.${name(typeColumns[kind])} = ${id}`];
  await lockToChange(ctx, customField, and(ofType));
  const own = await findRecords(ctx, customField, ofType, sql`order by t.position, t.id`);
  const named = given.flatMap((one) => own.find((field) => field.id === one.id) ?? []);
  let place = -1;
  [...new Set([...named, ...own])].forEach((field, i) => {
    place = Math.max(place + 1, own[i]!.position);
    store.update(ctx, customField, field, { position: place });
  });
  await refreshDirectory(ctx);
}

function checkOrder(ctx: Ctx, kind: Kind, id: string, given: readonly GivenField[]): void {
  const known = customFieldsOf(ctx.directory, kind, id);
  const problems: FieldErrors = {};
  const named = given.map((field) => field.id);
  named.forEach((one, i) => {
    if (one === undefined) problems[`fields.${i}.id`] = "is required";
    else if (!known.has(`custom.${one}`)) problems[`fields.${i}.id`] = "does not exist";
    else if (named.indexOf(one) < i) problems[`fields.${i}.id`] = "is there already";
  });
  refuse(problems);
}

/** Shared fields stay, but no longer belong to this type. */
async function dissociate(ctx: Ctx, kind: Kind, id: string): Promise<void> {
  const isOfType = (one: Row<typeof customField>["associations"][number]) => one[typeColumns[kind]] === id;
  for (const field of ctx.directory.list(customField).filter((one) => one.associations.some(isOfType))) {
    const before = await lockField(ctx, field.id);
    store.update(ctx, customField, before, { associations: before.associations.filter((one) => !isOfType(one)) });
  }
}
