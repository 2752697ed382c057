import type { Operation } from "../../core/operation.ts";
import { lockBehindAll } from "../../records/locks.ts";
import { crud, standard } from "../../records/standard.ts";
import { withReplacement } from "../shared/status_removal.ts";
import { lead } from "./lead.ts";
import { leadStatus } from "./lead_status.ts";
import { createLeadStatus, deleteLeadStatus, updateLeadStatus } from "./lead_status_verbs.ts";
import { createLead, deleteLead, updateLead } from "./lead_verbs.ts";
import { mergeLeads } from "./merge.ts";
import { moveLead } from "./move.ts";

export const leads: Operation[] = [
  ...standard(
    lead,
    { ...crud, create: createLead, update: updateLead, delete: deleteLead },
    { read: "member", write: "member", delete: "delete_leads" },
  ),
  mergeLeads,
  moveLead,
  ...standard(
    leadStatus,
    { ...crud, create: createLeadStatus, update: updateLeadStatus, delete: deleteLeadStatus, lock: lockBehindAll(leadStatus) },
    { read: "member", write: "manage_customizations" },
    { delete: withReplacement(leadStatus, lead) },
  ),
];
