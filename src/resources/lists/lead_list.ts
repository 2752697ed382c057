// A list of leads.
import { resource } from "../../core/resource.ts";
import { listFields } from "./list_fields.ts";

export const leadList = resource({
  name: "lead_list",
  prefix: "llist",
  doc: "A list of leads, made by hand.",
  order: "name",
  sort: { name: true },
  fields: listFields("lead"),
});
