// What creating, changing and deleting a type of custom activities or objects does besides writing its row.
import type { Ctx } from "../../core/context.ts";
import { refreshDirectory } from "../../core/directory.ts";
import { type FieldErrors, invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { deleteRecord, findRecords, lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { customActivityType } from "./custom_activity_type.ts";
import { customField } from "./custom_field.ts";
import { customObjectType } from "./custom_object_type.ts";
import { typeColumns } from "./object_types.ts";
import { unknownRoles } from "./roles.ts";
import type { FieldOrder } from "./type_fields.ts";

type ActivityType = Row<typeof customActivityType>;
type ObjectType = Row<typeof customObjectType>;
type Kind = keyof typeof typeColumns;

export async function createCustomActivityType(
  ctx: Ctx,
  { fields, ...given }: Create<typeof customActivityType>,
): Promise<ActivityType> {
  checkType(ctx, "activity", null, { fields, ...given });
  return store.insert(ctx, customActivityType, given);
}

export async function updateCustomActivityType(
  ctx: Ctx,
  before: ActivityType,
  { fields, ...patch }: Patch<typeof customActivityType>,
): Promise<ActivityType> {
  checkType(ctx, "activity", before.id, { fields, ...patch });
  if (fields) await reorderFields(ctx, "activity", before.id, fields);
  return store.update(ctx, customActivityType, before, patch);
}

/** Its fields and every activity of the type go with it. */
export async function deleteCustomActivityType(ctx: Ctx, before: ActivityType): Promise<void> {
  await dissociate(ctx, "activity", before.id);
  await store.remove(ctx, customActivityType, [before]);
}

export async function createCustomObjectType(
  ctx: Ctx,
  { fields, ...given }: Create<typeof customObjectType>,
): Promise<ObjectType> {
  checkType(ctx, "custom_object_type", null, { fields, ...given });
  return store.insert(ctx, customObjectType, { ...given, name_plural: given.name_plural ?? `${given.name}s` });
}

export async function updateCustomObjectType(
  ctx: Ctx,
  before: ObjectType,
  { fields, ...patch }: Patch<typeof customObjectType>,
): Promise<ObjectType> {
  checkType(ctx, "custom_object_type", before.id, { fields, ...patch });
  if (fields) await reorderFields(ctx, "custom_object_type", before.id, fields);
  return store.update(ctx, customObjectType, before, patch);
}

/** Its fields, every object of the type, and the fields elsewhere that name such objects go with it. */
export async function deleteCustomObjectType(ctx: Ctx, before: ObjectType): Promise<void> {
  await dissociate(ctx, "custom_object_type", before.id);
  const naming = [sql`t.referenced_custom_type_id = ${before.id}`, sql`t.custom_object_type_id is distinct from ${before.id}`];
  // By their own rule: the values that other records have of them go too.
  for (const field of await findRecords(ctx, customField, naming)) await deleteRecord(ctx, customField, field.id);
  await store.remove(ctx, customObjectType, [before]);
}

function checkType(
  ctx: Ctx,
  kind: Kind,
  id: string | null,
  given: { fields?: FieldOrder | null; editable_with_roles?: string[] },
): void {
  const known = id === null ? new Map() : customFieldsOf(ctx.directory, kind, id);
  const problems: FieldErrors = unknownRoles(ctx, given.editable_with_roles ?? [], "editable_with_roles");
  const named = (given.fields ?? []).map((field) => field.id);
  named.forEach((one, i) => {
    if (!known.has(`custom.${one}`)) problems[`fields.${i}.id`] = "does not exist";
    else if (named.indexOf(one) < i) problems[`fields.${i}.id`] = "is there already";
  });
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** Puts the fields into the given order, in the places they have between them. Shared ones stand behind and have none here. */
async function reorderFields(ctx: Ctx, kind: Kind, id: string, given: FieldOrder): Promise<void> {
  const own = await findRecords(
    ctx,
    customField,
    [sql`t.object_type = ${kind}`, sql`t.${name(typeColumns[kind])} = ${id}`],
    sql`order by t.position, t.id for update of t`,
  );
  const named = given.flatMap((one) => own.find((field) => field.id === one.id) ?? []);
  let place = -1;
  [...new Set([...named, ...own])].forEach((field, i) => {
    place = Math.max(place + 1, own[i]!.position);
    store.update(ctx, customField, field, { position: place });
  });
  await refreshDirectory(ctx);
}

/** Shared fields stay and are no longer this type's. */
async function dissociate(ctx: Ctx, kind: Kind, id: string): Promise<void> {
  const isOfType = (one: Row<typeof customField>["associations"][number]) => one[typeColumns[kind]] === id;
  for (const field of ctx.directory.list(customField).filter((one) => one.associations.some(isOfType))) {
    const before = await lockRecord(ctx, customField, field.id);
    store.update(ctx, customField, before, { associations: before.associations.filter((one) => !isOfType(one)) });
  }
}
