// The subject of a condition: a kind of record, or the members of a list in a record, with its alias in the statement.
import type { Ctx } from "../core/context.ts";
import { invalid } from "../core/errors.ts";
import type { Resource } from "../core/resource.ts";
import { hint } from "../values/reasons.ts";
import { type Attribute, attributeNames, attributeOf } from "./attributes.ts";
import type { FieldReference } from "./nodes.ts";
import { objectTypeOf } from "./relations.ts";

export interface Subject {
  /** As `object_type` names it. */
  type: string;
  resource: Resource | null;
  alias: string;
  attribute(name: string): Attribute | null;
  names(): string[];
}

export const subjectOf = (ctx: Ctx, of: Resource, alias: string): Subject => ({
  type: objectTypeOf(of),
  resource: of,
  alias,
  attribute: (attribute) => attributeOf(ctx, of, alias, attribute),
  names: () => attributeNames(ctx, of),
});

/** The attribute that a field reference names. */
export function referenced(subject: Subject, field: FieldReference): Attribute {
  if (field.type === "custom_field") return attributeNamed(subject, `custom.${field.custom_field_id}`, "field.custom_field_id");
  if (field.object_type !== null && field.object_type !== subject.type)
    refuse("field.object_type", `must be ${subject.type}, the type that is in scope here`);
  return attributeNamed(subject, field.field_name, "field.field_name");
}

/** The attribute of this name. Without one, the error names the nearest. */
export function attributeNamed(subject: Subject, field: string, place: string): Attribute {
  return subject.attribute(field) ?? refuse(place, unknownField(subject, field));
}

export const unknownField = (subject: Subject, field: string): string =>
  `is not a field of ${subject.type}${hint(field, subject.names())}`;

export function refuse(place: string, reason: string): never {
  throw invalid({ [place]: reason });
}
