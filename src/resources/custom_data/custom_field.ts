// A custom field: what an organization adds to a kind of record.

import { z } from "zod";
import { boolean, choice, computed, input, integer, json, ref, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
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

/** A field goes with the type it belongs to, and with the one whose objects it names. */
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
    name: text({ required: true, doc: "What people call it; unique among the fields of its kind of record." }),
    type: choice(fieldTypes, { required: true, doc: "What its values are. A change of type converts the stored values." }),
    description: text({ max: 280, doc: "What it is for." }),
    choices: json(choices, { doc: "What can be chosen, for fields of type `choices`." }),
    accepts_multiple_values: boolean({ default: false, doc: "A record may have several values: a list." }),
    editable_with_roles: texts({
      default: [] as string[],
      max: 100,
      doc: "The roles that may change values; everyone where empty.",
    }),
    required: boolean({ default: false, doc: "Custom activities and objects cannot be without it." }),
    custom_activity_type_id: ref("custom_activity_type", ofType, {
      createOnly: true,
      doc: "The type of custom activity that has it.",
    }),
    custom_object_type_id: ref("custom_object_type", ofType, { createOnly: true, doc: "The type of custom object that has it." }),
    referenced_custom_type_id: ref("custom_object_type", ofType, {
      createOnly: true,
      doc: "The type of the custom objects it names, for fields of type `custom_object`.",
    }),
    back_reference_is_visible: boolean({ default: false, doc: "The records it names show where they are named." }),
    is_shared: computed(
      ["object_type"],
      z.boolean(),
      (object_type) => object_type === "shared",
      "One field for several kinds of record.",
    ),
    associations: json(z.array(association).max(100), {
      default: [] as Association[],
      output: z.array(shownAssociation),
      doc: "Of a shared field: the kinds of record that have it.",
    }),
    position: integer({
      default: atEnd("custom_field"),
      min: 0,
      max: positionMax,
      doc: "Its place in the order; at the end where not given.",
    }),
    drop_unconvertible_values: input(z.boolean(), {
      doc: "With a change of type: values that the new type cannot hold are dropped. Otherwise they stop the change.",
    }),
  },
});
