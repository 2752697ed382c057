// Records whose custom fields follow from their type: custom activities and custom objects.
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { invalid, Problem } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { and, name, type Sql, sql } from "../../db/sql.ts";
import { type CustomField, customFieldsOf } from "../../records/custom_fields.ts";
import { isId } from "../../values/id.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import type { customActivityType } from "./custom_activity_type.ts";
import { customDataChange } from "./custom_data_change.ts";
import type { customObjectType } from "./custom_object_type.ts";
import { typeColumns, typePrefixes } from "./object_types.ts";

type Type = Row<typeof customActivityType> | Row<typeof customObjectType>;
type Kind = keyof typeof typeColumns;
type Values = Record<string, unknown>;

/** Refuses to create a record of a type that is no longer in use, or that the caller's role may not write. */
export function checkUsable(ctx: Ctx, kind: Kind, type: Type): void {
  if (type.is_archived) throw invalid({ [typeColumns[kind]]: "is archived: no new records of this type can be created" });
  checkRole(ctx, type);
}

/** Refuses to write a record of a type that the caller's role may not write. */
export function checkRole(ctx: Ctx, { name, editable_with_roles: roles }: Type): void {
  if (roles.length === 0 || roles.includes(ctx.actor.role_id) || ctx.actor.role_id === "admin") return;
  throw new Problem(
    403,
    `You do not have permission to perform this action: your role may not write records of the type ${name}.`,
  );
}

/**
 * Refuses a record that lacks what its type requires. Values that it already lacked (`before`) may stay missing, because a field
 * may have become required since.
 */
export function checkRequired(ctx: Ctx, kind: Kind, typeId: string, values: Values = {}, before: Values | null = null): void {
  const missing = [...customFieldsOf(ctx.directory, kind, typeId)].filter(
    ([key, field]) => field.required && values[key] === undefined && (before === null || before[key] !== undefined),
  );
  if (missing.length > 0) throw invalid(Object.fromEntries(missing.map(([key]) => [key, "is required"])));
}

/** They are visible as their lead is, but not while a job is deleting the records of their deleted type. */
export const visibleAsTyped =
  (kind: Kind) =>
  (ctx: Ctx, alias: string): Sql | null => {
    const asLead = visibleAsLead(ctx, alias);
    const deleted = deletedTypes(ctx.directory, kind);
    if (deleted.length === 0) return asLead;
    const type = sql`${name(alias)}.${name(typeColumns[kind])}`;
    return and([...(asLead === null ? [] : [asLead]), sql`(${type} is null or ${type} <> all(${deleted}::text[]))`]);
  };

const deletedTypes = (directory: Directory, kind: Kind): readonly string[] =>
  directory.memo(`deleted types ${kind}`, () => {
    const changes = directory.has(customDataChange.name) ? directory.list(customDataChange) : [];
    return changes.flatMap(({ type_id }) => (type_id !== null && isId(typePrefixes[kind], type_id) ? [type_id] : []));
  });

const texts: ReadonlySet<CustomField["type"]> = new Set(["text", "textarea", "choices", "url"]);

/** Whether the words of such values find the record. */
export const isFoundByText = (type: CustomField["type"]): boolean => texts.has(type);

/** The texts among the values, which the record is found by. */
export function textsOf(directory: Directory, kind: Kind, typeId: string, values: Values | null): { text: string }[] {
  return [...customFieldsOf(directory, kind, typeId)]
    .filter(([key, field]) => isFoundByText(field.type) && values?.[key] !== undefined)
    .map(([key]) => ({ text: [values![key]].flat().join("\n") }));
}
