// A lead on a list.
import { ref } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";

export const leadListMember = resource({
  name: "lead_list_member",
  prefix: "llmem",
  doc: "The membership of a lead in a list.",
  event: null,
  fields: {
    list_id: ref("lead_list", { onDelete: "cascade", onMove: "clear" }, { required: true }),
    lead_id: ref("lead", { onDelete: "cascade", onMove: "clear" }, { required: true }),
  },
});
