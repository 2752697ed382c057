// Deletes many records.
import { choice } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { common, kind } from "./common.ts";

export const deletedTypes = ["lead", "contact", "call", "custom_activity", "opportunity", "task"] as const;

export const bulkDelete = resource({
  ...kind("delete"),
  doc: "Deletes many records.",
  fields: {
    ...common(),
    bulk_object_type: choice(deletedTypes, { createOnly: true, default: "lead", doc: "The kind of record that is deleted." }),
  },
});
