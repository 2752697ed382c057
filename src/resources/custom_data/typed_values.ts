// Records whose custom fields follow from their type: custom activities and custom objects.
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { invalid, Problem } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { type CustomField, customFieldsOf } from "../../records/custom_fields.ts";
import type { customActivityType } from "./custom_activity_type.ts";
import type { customObjectType } from "./custom_object_type.ts";
import { typeColumns } from "./object_types.ts";

type Type = Row<typeof customActivityType> | Row<typeof customObjectType>;
type Kind = keyof typeof typeColumns;
type Values = Record<string, unknown>;

/** Refuses to make something of a type that is no longer in use, or that is not for the caller's role. */
export function checkUsable(ctx: Ctx, kind: Kind, type: Type): void {
  if (type.is_archived) throw invalid({ [typeColumns[kind]]: "is archived: nothing new of this type can be made" });
  checkRole(ctx, type);
}

/** Refuses to write what is of a type that is not for the caller's role. */
export function checkRole(ctx: Ctx, { name, editable_with_roles: roles }: Type): void {
  if (roles.length === 0 || roles.includes(ctx.actor.role_id) || ctx.actor.role_id === "admin") return;
  throw new Problem(
    403,
    `You do not have permission to perform this action: your role may not write what is of the type ${name}.`,
  );
}

/** Refuses a record that lacks what its type requires. What it lacked `before` it may go on lacking: a field may be required since. */
export function checkRequired(ctx: Ctx, kind: Kind, typeId: string, values: Values = {}, before: Values | null = null): void {
  const missing = [...customFieldsOf(ctx.directory, kind, typeId)].filter(
    ([key, field]) => field.required && values[key] === undefined && (before === null || before[key] !== undefined),
  );
  if (missing.length > 0) throw invalid(Object.fromEntries(missing.map(([key]) => [key, "is required"])));
}

const texts: ReadonlySet<CustomField["type"]> = new Set(["text", "textarea", "choices", "url"]);

/** Whether the words of such values find the record. */
export const isFoundByText = (type: CustomField["type"]): boolean => texts.has(type);

/** The texts among the values, which the record is found by. */
export function textsOf(directory: Directory, kind: Kind, typeId: string, values: Values | null): { text: string }[] {
  return [...customFieldsOf(directory, kind, typeId)]
    .filter(([key, field]) => isFoundByText(field.type) && values?.[key] !== undefined)
    .map(([key]) => ({ text: [values![key]].flat().join("\n") }));
}
