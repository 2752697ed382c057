// A tag of contacts.
import { text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { tagName } from "./tag_names.ts";
import { usageCount } from "./usage_count.ts";

export const contactTag = resource({
  name: "contact_tag",
  prefix: "ctag",
  doc: "A label for contacts.",
  order: "name",
  sort: { name: true },
  fields: {
    name: tagName({ required: true, doc: "Unique among the tags of contacts, ignoring case." }),
    color: text({ max: 32 }),
    usage_count: usageCount("contact"),
  },
});
