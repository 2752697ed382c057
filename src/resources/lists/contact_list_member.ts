// A contact on a list.
import { ref } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";

export const contactListMember = resource({
  name: "contact_list_member",
  prefix: "clmem",
  doc: "The membership of a contact in a list.",
  event: null,
  fields: {
    list_id: ref("contact_list", { onDelete: "cascade", onMove: "clear" }, { required: true }),
    contact_id: ref("contact", { onDelete: "cascade", onMove: "clear" }, { required: true }),
  },
});
