// The activity that says that another lead was merged into this one.
import { text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { act, kind } from "./act.ts";

export const leadMerge = resource({
  ...kind("LeadMerge", "lead_merge"),
  doc: "Records that another lead was merged into this one.",
  fields: {
    ...act("LeadMerge"),
    source_lead_id: text({ readOnly: true, doc: "The merged lead, which no longer exists." }),
    source_lead_name: text({ readOnly: true, doc: "The name of the lead that was merged into the other." }),
    destination_lead_id: text({ readOnly: true, doc: "The lead that the other was merged into." }),
    status: text({ readOnly: true, doc: "`completed`: leads are merged at once or not at all." }),
  },
});
