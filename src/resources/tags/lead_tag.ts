// A tag of leads.
import { text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { tagName } from "./tag_names.ts";
import { usageCount } from "./usage_count.ts";

export const leadTag = resource({
  name: "lead_tag",
  prefix: "ltag",
  doc: "A label for leads.",
  order: "name",
  sort: { name: true },
  fields: {
    name: tagName({ required: true, doc: "Unique among the tags of leads, ignoring case." }),
    color: text({ max: 32 }),
    usage_count: usageCount("lead"),
  },
});
