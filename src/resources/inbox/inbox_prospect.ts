// A prospect: somebody who wrote to the organization and is no contact yet.

import { z } from "zod";
import { choice, json, ref, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { type Filter } from "../../core/search.ts";
import { name, raw, sql } from "../../db/sql.ts";
import { checkAmong } from "../../records/comparisons.ts";
import { emailKey } from "../../values/email.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { folderId } from "./inbox_folder.ts";

export const prospectStates = ["new", "converted", "dismissed"] as const;

export const inboxProspect = resource({
  name: "inbox_prospect",
  prefix: "prosp",
  doc: "Somebody who wrote and whom no contact stands for. Converting one makes a lead, a contact and the message.",
  visible: visibleAsLead,
  sort: { received_at: true, name: true },
  filters: {
    status: statusFilter(),
    email: {
      doc: "Only prospects with this e-mail address, in any case.",
      sql: (_ctx, value, alias) => sql`lower(${name(alias)}.email) = ${emailKey(value.trim())}`,
    },
  },
  fields: {
    name: text({ readOnly: true }),
    email: text({ readOnly: true }),
    phone: text({ readOnly: true }),
    channel: text({ required: true, readOnly: true, doc: "How they wrote: `email`, `sms`, or the name of a channel." }),
    company: text({ readOnly: true, doc: "The domain of their address, where it is a company's." }),
    subject: text({ readOnly: true, max: 1000 }),
    preview: text({ readOnly: true, doc: "How the message begins." }),
    body_text: text({ readOnly: true, max: 500_000, onDemand: true, doc: "The whole text." }),
    message: json(z.record(z.string(), z.unknown()), { readOnly: true, default: {}, doc: "What else came with it." }),
    folder_id: { ...folderId("The folder it is filed in."), mode: "read" as const },
    status: choice(prospectStates, { readOnly: true, default: "new" }),
    received_at: timestamp({ required: true, readOnly: true }),
    lead_id: ref("lead", { onDelete: "clear", onMove: "clear" }, { readOnly: true, doc: "What became of it: the lead." }),
    contact_id: ref("contact", { onDelete: "clear", onMove: "clear" }, { readOnly: true }),
    conversation_id: ref("conversation", { onDelete: "clear", onMove: "clear" }, { readOnly: true }),
    activity_id: ref("activity", { onDelete: "clear", onMove: "clear" }, { readOnly: true, doc: "The message." }),
    dismissed_at: timestamp({ readOnly: true }),
    dismissed_by: text({ readOnly: true }),
    converted_at: timestamp({ readOnly: true }),
    converted_by: text({ readOnly: true }),
  },
});

function statusFilter(): Filter {
  return {
    doc: "Only prospects with this status; new ones where nothing is said, `all` for all.",
    sql(_ctx, value, alias) {
      if (value === "all") return raw("true");
      checkAmong([value], [...prospectStates, "all"]);
      return sql`${name(alias)}.status = ${value}`;
    },
  };
}
