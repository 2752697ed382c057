// A prospect: a person who wrote to the organization and is not a contact yet.

import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { choice, integer, json, ref, related, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { type Filter } from "../../core/search.ts";
import { name, raw, type Sql, sql, wireTime } from "../../db/sql.ts";
import { checkAmong } from "../../records/comparisons.ts";
import { emailKey } from "../../values/email.ts";
import { folderId } from "./inbox_folder.ts";
import { prospectIsVisible } from "./prospect_visibility.ts";

const messagesMost = 100;
const shown = z.string().nullable();
const message = z.object({ id: z.string(), subject: shown, body_text: shown, received_at: z.iso.datetime() });

export const prospectStates = ["new", "converted", "dismissed"] as const;

export const inboxProspect = resource({
  name: "inbox_prospect",
  prefix: "prosp",
  doc: "A person who wrote to the organization and is not a contact. Converting one creates a lead, a contact and the messages.",
  visible: prospectIsVisible,
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
    channel: text({ required: true, readOnly: true, doc: "The channel they used: `email`, `sms`, or another name." }),
    company: text({ readOnly: true, doc: "The domain of their address, where it is a company's." }),
    subject: text({ readOnly: true, max: 1000 }),
    preview: text({ readOnly: true, doc: "The beginning of the message." }),
    body_text: text({ readOnly: true, max: 500_000, onDemand: true, doc: "The whole text." }),
    message: json(z.record(z.string(), z.unknown()), { readOnly: true, default: {}, doc: "Further values of the message." }),
    message_count: integer({ readOnly: true, default: 1, doc: "The number of messages." }),
    messages: {
      ...related(z.array(message), messagesSql, `Their messages, newest first, at most ${messagesMost}.`),
      onDemand: true,
    },
    user_id: ref(
      "user",
      { onDelete: "keep", onMove: "clear" },
      {
        readOnly: true,
        doc: "The member whose mailbox or personal number received it. Only that member, and everyone the mailbox is shared with, sees the prospect. Null if everybody sees it.",
      },
    ),
    account_id: text({ readOnly: true, hidden: true }),
    folder_id: { ...folderId("Its folder."), mode: "read" as const },
    status: choice(prospectStates, { readOnly: true, default: "new" }),
    received_at: timestamp({ required: true, readOnly: true }),
    lead_id: ref("lead", { onDelete: "clear", onMove: "clear" }, { readOnly: true, doc: "The lead that it was converted to." }),
    contact_id: ref("contact", { onDelete: "clear", onMove: "clear" }, { readOnly: true }),
    conversation_id: ref("conversation", { onDelete: "clear", onMove: "clear" }, { readOnly: true }),
    activity_id: ref("activity", { onDelete: "clear", onMove: "clear" }, { readOnly: true, doc: "The message." }),
    dismissed_at: timestamp({ readOnly: true }),
    dismissed_by: text({ readOnly: true, doc: "Who dismissed it." }),
    converted_at: timestamp({ readOnly: true }),
    converted_by: text({ readOnly: true, doc: "Who converted it." }),
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

function messagesSql(alias: string, ctx: Ctx): Sql {
  return sql`(select coalesce(json_agg(json_build_object('id', m.id, 'subject', m.subject,
      'body_text', coalesce(m.email->>'body_text', m.body_text), 'received_at', ${wireTime(raw("m.received_at"))})
      order by m.received_at desc, m.id desc), '[]')
    from (select id, subject, email, body_text, received_at from prospect_message
      where organization_id = ${ctx.organization_id} and prospect_id = ${name(alias)}.id
      order by received_at desc, id desc limit ${raw(String(messagesMost))}) m)`;
}
