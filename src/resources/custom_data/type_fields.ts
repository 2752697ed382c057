// What types of custom activities and of custom objects have in common: their names, who may write their
// records, and the custom fields that belong to them.
import { z } from "zod";
import type { Directory } from "../../core/directory.ts";
import { boolean, input, lookedUp, type Moment, text, texts } from "../../core/field.ts";
import type { Row } from "../../core/resource.ts";
import { type CustomField, customFieldsOf } from "../../records/custom_fields.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { renderRow } from "../../records/render.ts";
import { customField } from "./custom_field.ts";
import type { typeColumns } from "./object_types.ts";

/** The fields as they are read. What each of them says is checked where it is taken: by a new type. */
const anyValue = Object.fromEntries(Object.keys(customField.fields).map((name) => [name, z.unknown().optional()]));
const givenFields = z.array(z.object({ ...anyValue, id: z.string().optional() })).max(1000);
export type GivenField = { id?: string } & Record<string, unknown>;

export const typeFields = (kind: keyof typeof typeColumns) => ({
  description: text({ max: 10_000, doc: "What it is for." }),
  api_create_only: boolean({ default: false, doc: "People cannot make them by hand, only programs." }),
  editable_with_roles: texts({
    default: [] as string[],
    max: 100,
    doc: "The roles that may write what is of this type; everyone where empty.",
  }),
  is_archived: boolean({ default: false, doc: "Nothing new of this type can be made." }),
  fields: input(givenFields as unknown as z.ZodType<GivenField[]>, {
    shown: shownFields((directory, id) => [...customFieldsOf(directory, kind, id).values()]),
    doc: "Its custom fields in their order, then the shared ones. A new type gets fields like these; sending its own back in another order puts them in it, what is left out behind.",
  }),
});

/** Custom fields that follow from the id of a type. */
export const shownFields = (of: (directory: Directory, id: string) => CustomField[], doc = "") =>
  lookedUp(
    ["id"],
    z.array(outputSchema(customField)),
    (directory, id: string, moment: Moment) => of(directory, id).map((field) => shownField(field, directory, moment)),
    doc,
  );

/** A custom field as its own path shows it. */
export const shownField = (field: CustomField, directory: Directory, moment: Moment) =>
  JSON.parse(renderRow(customField, field as unknown as Row<typeof customField>, directory, moment, () => undefined));
