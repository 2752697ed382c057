// Changes a value of many records.
import { z } from "zod";
import { choice, json, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { common, kind } from "./common.ts";

/** The kind of record whose custom field `set_…custom_field` and `clear_…custom_field` name. Leads by default. */
export const customOwners = {
  "": "lead",
  contact_: "contact",
  opportunity_: "opportunity",
  activity_: "activity",
  global_: "lead",
  custom_object_: "custom_object",
} as const;

type Owner = keyof typeof customOwners;
const owners = Object.keys(customOwners) as Owner[];

export const editTypes = [
  "set_lead_status",
  "set_owner",
  "add_tag",
  "remove_tag",
  "set_fields",
  ...owners.map((owner) => `set_${owner}custom_field` as const),
  ...owners.map((owner) => `clear_${owner}custom_field` as const),
] as const;

export const bulkEdit = resource({
  ...kind("edit"),
  doc: "Changes values of many records.",
  fields: {
    ...common(),
    type: choice(editTypes as unknown as readonly [string, ...string[]], {
      required: true,
      createOnly: true,
      doc: "What is changed.",
    }),
    lead_status_id: text({ createOnly: true, max: 64, doc: "For `set_lead_status`: the status." }),
    custom_field_id: text({ createOnly: true, max: 64, doc: "The custom field to set or clear." }),
    custom_field_value: json(z.unknown(), { createOnly: true, doc: "Its value, or several." }),
    custom_field_operation: choice(["replace", "add", "remove"], {
      createOnly: true,
      doc: "What happens to the present values.",
    }),
    owner_id: text({ createOnly: true, max: 64, doc: "For `set_owner`: the member; null for nobody." }),
    tag: text({ createOnly: true, max: 100, doc: "For `add_tag` and `remove_tag`: the tag." }),
    object_type: text({ createOnly: true, max: 64, doc: "For `set_fields`: the kind of record." }),
    fields: json(z.record(z.string(), z.unknown()), { createOnly: true, doc: "For `set_fields`: the new values by field name." }),
  },
});
