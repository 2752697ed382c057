// A type of custom activity: what an organization records besides calls and notes, such as a site visit.
import { text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { typeElsewhere } from "./type_elsewhere.ts";
import { typeFields } from "./type_fields.ts";

export const customActivityType = resource({
  name: "custom_activity_type",
  prefix: "actitype",
  path: "/custom_activity",
  doc: "A kind of activity that the organization defines, such as a site visit, with its own fields.",
  cached: true,
  deleted: "is_deleted",
  sort: { name: true },
  elsewhere: typeElsewhere("custom_activity_type"),
  fields: {
    name: text({ required: true, doc: "Unique among the types of custom activities." }),
    ...typeFields("activity"),
  },
});
