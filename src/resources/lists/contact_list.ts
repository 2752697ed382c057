// A list of contacts.
import { resource } from "../../core/resource.ts";
import { listFields } from "./list_fields.ts";

export const contactList = resource({
  name: "contact_list",
  prefix: "clist",
  doc: "A list of contacts, made by hand or copied from a source of synced profiles.",
  order: "name",
  sort: { name: true },
  fields: listFields("contact"),
});
