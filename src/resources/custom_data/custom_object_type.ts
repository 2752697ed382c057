// A type of custom object: a kind of record that an organization defines.
import { text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import type { CustomField } from "../../records/custom_fields.ts";
import { typeElsewhere } from "./type_elsewhere.ts";
import { shownFields, typeFields } from "./type_fields.ts";

export const customObjectType = resource({
  name: "custom_object_type",
  prefix: "cotype",
  doc: "A kind of record that the organization defines, such as a vehicle or a contract, with its own fields.",
  cached: true,
  deleted: "is_deleted",
  sort: { name: true },
  elsewhere: typeElsewhere("custom_object_type"),
  fields: {
    name: text({ required: true, doc: "Unique among the types of custom objects." }),
    name_plural: text({ filled: true, doc: "The plural name; by default the name with an s." }),
    ...typeFields("custom_object_type"),
    back_reference_fields: shownFields(
      (directory, id) =>
        (directory.all("custom_field") as unknown as (CustomField & { back_reference_is_visible: boolean })[]).filter(
          (field) => field.referenced_custom_type_id === id && field.back_reference_is_visible,
        ),
      "The custom fields that name objects of this type and are shown with them.",
    ),
  },
});
