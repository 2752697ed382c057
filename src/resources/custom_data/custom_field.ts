// A custom field: a field that an organization adds to a kind of record.

import { z } from "zod";
import { boolean, choice, computed, input, integer, json, ref, text, texts } from "../../core/field.ts";
import { type Row, resource } from "../../core/resource.ts";
import { notAmong } from "../../values/reasons.ts";
import { atEnd, positionMax } from "../shared/positions.ts";
import { objectTypeNamed, recordTypes } from "./object_types.ts";

export const fieldTypes = [
  "text",
  "textarea",
  "number",
  "date",
  "datetime",
  "choices",
  "user",
  "contact",
  "custom_object",
  "hidden",
  "url",
  "boolean",
] as const;

const unique = (values: readonly string[]) => new Set(values).size === values.length;

const choices = z
  .array(z.string().trim().min(1, "must not be empty").max(255, "must be 255 characters or fewer"))
  .max(1000)
  .refine(unique, "must not have the same choice twice");

const typeId = z.string().max(64).nullish();
const association = z
  .strictObject({
    object_type: z.string().transform((name, problems) => {
      const found = objectTypeNamed(name);
      if (found === undefined || found === "shared") problems.addIssue(notAmong(name, recordTypes));
      return found as (typeof recordTypes)[number];
    }),
    custom_activity_type_id: typeId,
    custom_object_type_id: typeId,
    editable_with_roles: z.array(z.string().max(64)).max(100).default([]),
    required: z.boolean().default(false),
  })
  // Left out rather than null, so that what was read can be compared with what is sent.
  .transform(({ custom_activity_type_id, custom_object_type_id, ...rest }) => ({
    ...rest,
    ...(custom_activity_type_id ? { custom_activity_type_id } : {}),
    ...(custom_object_type_id ? { custom_object_type_id } : {}),
  }));
export type Association = z.output<typeof association>;

const shownAssociation = z.object({
  object_type: z.string(),
  custom_activity_type_id: z.string().optional(),
  custom_object_type_id: z.string().optional(),
  editable_with_roles: z.array(z.string()),
  required: z.boolean(),
});

/** A field is deleted with the type it belongs to, and with the type of the objects it refers to. */
const ofType = { onDelete: "cascade", onMove: "keep" } as const;

export const customField = resource({
  name: "custom_field",
  prefix: "cf",
  path: "/custom_field/{object_type}",
  event: (row) => `custom_fields.${row.object_type === "custom_object_type" ? "custom_object" : row.object_type}`,
  doc: "A field that the organization adds to a kind of record, such as the size of a lead or the reason a deal was lost.",
  cached: true,
  order: "position",
  sort: { position: true, name: true },
  fields: {
    object_type: text({ required: true, readOnly: true, doc: "The kind of record that has it, as in the path." }),
    name: text({ required: true, doc: "The name; unique among the fields of its kind of record." }),
    type: choice(fieldTypes, { required: true, doc: "The type of its values. A change of type converts the stored values." }),
    converting_to_type: choice(fieldTypes, {
      readOnly: true,
      doc: "The type that many stored values are being converted to. Until it is null again, a value may be of either type; what is written must be of this one.",
    }),
    description: text({ max: 280, doc: "The purpose." }),
    choices: json(choices, { doc: "The choices, for fields of type `choices`." }),
    accepts_multiple_values: boolean({ default: false, doc: "A record may have several values: a list." }),
    editable_with_roles: texts({
      default: [] as string[],
      max: 100,
      doc: "The roles that may change values; everyone if empty.",
    }),
    required: boolean({ default: false, doc: "Custom activities and objects need a value for it." }),
    custom_activity_type_id: ref("custom_activity_type", ofType, {
      createOnly: true,
      doc: "The type of custom activity that has it.",
    }),
    custom_object_type_id: ref("custom_object_type", ofType, { createOnly: true, doc: "The type of custom object that has it." }),
    referenced_custom_type_id: ref("custom_object_type", ofType, {
      createOnly: true,
      doc: "The type of the custom objects it names, for fields of type `custom_object`.",
    }),
    back_reference_is_visible: boolean({ default: false, doc: "The referenced records show the records that refer to them." }),
    is_shared: computed(
      ["object_type"],
      z.boolean(),
      (object_type) => object_type === "shared",
      "One field for several kinds of record.",
    ),
    associations: json(z.array(association).max(100), {
      default: [] as Association[],
      output: z.array(shownAssociation),
      doc: "For a shared field: the kinds of record that have it.",
    }),
    position: integer({
      default: atEnd("custom_field"),
      min: 0,
      max: positionMax,
      doc: "Its place in the order; by default the end.",
    }),
    drop_unconvertible_values: input(z.boolean(), {
      doc: "With a change of type: drops values that the new type cannot hold. Otherwise such values make the change fail.",
    }),
  },
});

export type CustomField = Row<typeof customField>;
