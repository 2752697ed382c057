import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../core/standard.ts";
import { lead } from "./lead.ts";
import { leadStatus } from "./lead_status.ts";
import { createLead, updateLead } from "./lead_verbs.ts";
import { mergeLeads } from "./merge.ts";

export const leads: Operation[] = [
  ...standard(lead, { ...crud, create: createLead, update: updateLead }, { delete: "delete_leads" }),
  mergeLeads,
  ...standard(leadStatus, crud, { write: "manage_customizations" }),
];
