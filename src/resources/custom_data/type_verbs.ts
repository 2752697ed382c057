// What creating, changing and deleting a type of custom activities or objects does besides writing its row.
import type { Ctx } from "../../core/context.ts";
import { refreshDirectory } from "../../core/directory.ts";
import { type FieldErrors, invalid } from "../../core/errors.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { deleteRecord, findRecords, lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import type { Verbs } from "../../records/verbs.ts";
import type { customActivityType } from "./custom_activity_type.ts";
import { customField } from "./custom_field.ts";
import type { customObjectType } from "./custom_object_type.ts";
import { typeColumns } from "./object_types.ts";
import { unknownRoles } from "./roles.ts";
import type { FieldOrder } from "./type_fields.ts";

type Kind = keyof typeof typeColumns;
type Type = Row<typeof customActivityType> & Partial<Row<typeof customObjectType>>;
type Given = Partial<Type> & { fields?: FieldOrder | null };

/** The verbs of either kind of type. */
export const typeVerbs = (of: typeof customActivityType | typeof customObjectType, kind: Kind): Verbs => ({
  async create(ctx, { fields, ...given }: Given) {
    checkType(ctx, kind, null, { fields, ...given });
    return store.insert(ctx, of, withPlural(of, given));
  },

  async update(ctx, before: Type, { fields, ...patch }: Given) {
    checkType(ctx, kind, before, { fields, ...patch });
    if (fields) await reorderFields(ctx, kind, before.id, fields);
    return store.update(ctx, of, before, withPlural(of, patch, before));
  },

  /** Its fields, everything of the type, and the fields elsewhere that name such objects go with it. */
  async delete(ctx, before: Type) {
    await dissociate(ctx, kind, before.id);
    const naming = [sql`t.referenced_custom_type_id = ${before.id}`, sql`t.custom_object_type_id is distinct from ${before.id}`];
    // By their own rule: the values that other records have of them go too.
    for (const field of await findRecords(ctx, customField, naming)) await deleteRecord(ctx, customField, field.id);
    await store.remove(ctx, of, [before]);
  },
});

/** Several are called by the name and an s where nothing else is said. */
function withPlural(of: Resource, given: Given, before: Partial<Type> = {}): Given {
  const { name, name_plural } = { ...before, ...given };
  return "name_plural" in of.fields ? { ...given, name_plural: name_plural?.trim() ? name_plural : `${name}s` } : given;
}

function checkType(ctx: Ctx, kind: Kind, before: Type | null, given: Given): void {
  const known = before === null ? new Map() : customFieldsOf(ctx.directory, kind, before.id);
  const problems: FieldErrors = unknownRoles(
    ctx,
    given.editable_with_roles ?? [],
    "editable_with_roles",
    before?.editable_with_roles,
  );
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
