// What types of custom activities and of custom objects have in common: their names, who may write their records, and their
// custom fields.
import { z } from "zod";
import type { Directory } from "../../core/directory.ts";
import { boolean, input, lookedUp, type Moment, text, texts } from "../../core/field.ts";
import type { Row } from "../../core/resource.ts";
import { type CustomField, customFieldsOf } from "../../records/custom_fields.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { renderRow } from "../../records/render.ts";
import { customField } from "./custom_field.ts";
import type { typeColumns } from "./object_types.ts";

/** The fields as they are read. Their content is checked when a new type takes them. */
const anyValue = Object.fromEntries(Object.keys(customField.fields).map((name) => [name, z.unknown().optional()]));
const givenFields = z.array(z.object({ ...anyValue, id: z.string().optional() })).max(1000);
export type GivenField = { id?: string } & Record<string, unknown>;

export const typeFields = (kind: keyof typeof typeColumns) => ({
  description: text({ max: 10_000, doc: "The purpose." }),
  api_create_only: boolean({ default: false, doc: "Only programs may create them, not people by hand." }),
  editable_with_roles: texts({
    default: [] as string[],
    max: 100,
    doc: "The roles that may write records of this type; everyone if empty.",
  }),
  is_archived: boolean({ default: false, doc: "No new records of this type can be created." }),
  fields: input(givenFields as unknown as z.ZodType<GivenField[]>, {
    shown: shownFields((directory, id) => [...customFieldsOf(directory, kind, id).values()]),
    doc: "Its custom fields in their order, then the shared ones. A new type gets fields like these. Sending a type's own fields in another order reorders them; those left out come last.",
  }),
});

/** The custom fields for the id of a type. */
export const shownFields = (of: (directory: Directory, id: string) => CustomField[], doc = "") =>
  lookedUp(
    ["id"],
    z.array(outputSchema(customField)),
    (directory, id: string, moment: Moment) => of(directory, id).map((field) => shownField(field, directory, moment)),
    doc,
  );

/** A custom field as its own path shows it: while its values are converted, as it was before. */
export function shownField(field: CustomField, directory: Directory, moment: Moment) {
  const { type, choices, accepts_multiple_values } = directory.get(customField, field.id)!;
  const row = { ...field, type, choices, accepts_multiple_values } as unknown as Row<typeof customField>;
  return JSON.parse(renderRow(customField, row, directory, moment, () => undefined));
}
