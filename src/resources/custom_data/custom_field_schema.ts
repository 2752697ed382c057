// The fields of a kind of record: the service's own and the organization's custom fields.

import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Field } from "../../core/field.ts";
import { operation } from "../../core/operation.ts";
import type { Resource } from "../../core/resource.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { notAmong } from "../../values/reasons.ts";
import { customField } from "./custom_field.ts";
import { type ObjectType, objectTypeNamed, objectTypes, typeColumns, typePrefixes, typeResources } from "./object_types.ts";
import { shownField } from "./type_fields.ts";

export const customFieldSchema = operation({
  name: "custom_field_schema.get",
  method: "GET",
  path: "/custom_field_schema/",
  doc: "Returns the fields of a kind of record in the order they are shown: its own custom fields, then the shared ones.",
  permission: "member",
  input: {
    object_type: z
      .string()
      .describe("The kind of record, such as `lead`; also the id of a type of custom activities or objects."),
    custom_activity_type_id: z.string().optional().describe("With `activity`: only the fields of this type."),
    custom_object_type_id: z.string().optional().describe("With `custom_object_type`: only the fields of this type."),
  },
  output: z.strictObject({
    object_type: z.string(),
    organization_id: z.string(),
    standard_fields: z.array(z.strictObject({ name: z.string(), type: z.string(), read_only: z.boolean() })),
    fields: z.array(outputSchema(customField)),
  }),
  async run(ctx, given) {
    const { object_type, type_id } = placeOf(ctx, given);
    const record = ctx.registry.resources.find((one) => one.custom === object_type);
    return {
      object_type,
      organization_id: ctx.organization_id,
      standard_fields: record === undefined ? [] : standardFields(record),
      fields: [...customFieldsOf(ctx.directory, object_type, type_id).values()].map((field) =>
        shownField(field, ctx.directory, ctx),
      ),
    };
  },
});

interface Given {
  object_type: string;
  custom_activity_type_id?: string;
  custom_object_type_id?: string;
}

/** The requested kind of record, and its type if there is one. */
function placeOf(ctx: Ctx, given: Given): { object_type: ObjectType; type_id: string | null } {
  const named = kinds.find((kind) => given.object_type.startsWith(`${typePrefixes[kind]}_`));
  const object_type = named ?? objectTypeNamed(given.object_type);
  if (object_type === undefined) throw invalid({ object_type: notAmong(given.object_type, objectTypes) });

  let type_id = named === undefined ? null : typeNamed(ctx, named, "object_type", given.object_type);
  for (const kind of kinds) {
    const column = typeColumns[kind];
    if (given[column] === undefined) continue;
    if (kind !== object_type) throw invalid({ [column]: `is only for ${kind}` });
    type_id = typeNamed(ctx, kind, column, given[column]);
  }
  return { object_type, type_id };
}

const kinds = Object.keys(typeColumns) as (keyof typeof typeColumns)[];

function typeNamed(ctx: Ctx, kind: keyof typeof typeColumns, place: string, id: string): string {
  if (ctx.directory.find(typeResources[kind], id) === undefined) throw invalid({ [place]: "does not exist" });
  return id;
}

function standardFields(of: Resource): { name: string; type: string; read_only: boolean }[] {
  const columns = new Map(of.columns);
  const names = of.shown.map(([name]) => name).filter((name) => name !== "custom");
  return names.map((name) => {
    const column = columns.get(name);
    return { name, type: typeOf(column), read_only: column === undefined || column.mode === "read" };
  });
}

const typeNames: Partial<Record<Field["type"], string>> = { timestamp: "datetime", texts: "list", json: "object" };

// A field without a column is computed when it is shown. The API description says its kind.
function typeOf(field: Field | undefined): string {
  if (field === undefined) return "computed";
  return field.ref !== null ? "reference" : (typeNames[field.type] ?? field.type);
}
