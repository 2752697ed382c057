// A custom object: a record of a type that the organization defined.
import { ref, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { searched } from "../../search/searched.ts";
import { textsOf, visibleAsTyped } from "../custom_data/typed_values.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { dateCreated } from "../shared/history.ts";

export const customObject = resource({
  name: "custom_object",
  prefix: "custobj",
  doc: "A record of a lead, of a type that the organization defined.",
  custom: "custom_object_type",
  rendered: 1,
  visible: visibleAsTyped("custom_object_type"),
  known: visibleAsLead,
  indexed: ["lead_id", "custom_object_type_id"],
  sort: { name: true },
  search: searched({
    words: (row, directory) => [
      { text: row.name },
      ...textsOf(directory, "custom_object_type", row.custom_object_type_id, row.custom),
    ],
    covers: ["name"],
  }),
  fields: {
    custom_object_type_id: ref(
      "custom_object_type",
      { onDelete: "cascade", onMove: "match" },
      { required: true, createOnly: true, doc: "Its type, which defines its fields." },
    ),
    lead_id: ref(
      "lead",
      { onDelete: "cascade", onMove: "follow" },
      { required: true, createOnly: true, doc: "The lead it belongs to." },
    ),
    name: text({ required: true }),
    date_created: dateCreated,
  },
});
