// An activity of a type that the organization defined, such as a site visit. Its content is in its custom fields.
import { boolean, choice, namingPast, ref, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { searched } from "../../search/searched.ts";
import { textsOf, visibleAsTyped } from "../custom_data/typed_values.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { act, idFilter, kind } from "./act.ts";

const common = kind("CustomActivity", "custom_activity", "custom");

export const customActivity = resource({
  ...common,
  doc: "Something that happened at a lead, of a type that the organization defined.",
  custom: "activity",
  visible: visibleAsTyped("activity"),
  known: visibleAsLead,
  indexed: [...common.indexed, "custom_activity_type_id"],
  search: searched({ words: (row, directory) => textsOf(directory, "activity", row.custom_activity_type_id, row.custom) }),
  filters: { ...common.filters, custom_activity_type_id: idFilter("custom_activity_type_id") },
  fields: {
    ...act("CustomActivity"),
    custom_activity_type_id: ref(
      "custom_activity_type",
      { onDelete: "cascade", onMove: "match" },
      { required: true, createOnly: true, doc: "Its type, which defines its fields." },
    ),
    status: choice(["draft", "published"], {
      default: "published",
      doc: "A draft may lack fields that its type requires.",
    }),
    last_published_at: timestamp({ readOnly: true, doc: "When it was last published." }),
    pinned: boolean({ default: false, doc: "Pinned to the top of the lead's history." }),
    pinned_at: timestamp({ readOnly: true }),
    mentions: texts({ readOnly: true, default: [] as string[], names: namingPast("user", "group") }),
    source: text({ readOnly: true, default: "api", doc: "Where it came from, such as `api`." }),
  },
});
