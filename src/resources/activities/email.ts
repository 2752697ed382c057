// An e-mail: received, sent, or still being written.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { boolean, choice, formed, input, integer, json, label, ref, related, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { join, name, raw, type Sql, sql } from "../../db/sql.ts";
import { type Part, searched } from "../../search/searched.ts";
import { leadIsVisible, visibleAsLead } from "../leads/visibility.ts";
import { act, kind, leftBehind, usersDoc } from "./act.ts";
import { emailAttachments } from "./attachments.ts";
import { messageStates, statusDoc } from "./message_states.ts";
import { quotedHtml, quotedText } from "./quoted.ts";
import { addressReason, isSender, membersOf, recipients } from "./recipients.ts";

/** Bodies are longer than notes: newsletters arrive here too. */
const bodyMax = 500_000;
const previewLength = 255;

const person = z.object({ email: z.string(), name: z.string().nullable() });
const envelope = z.looseObject({
  from: z.array(person),
  sender: z.array(person),
  to: z.array(person),
  cc: z.array(person),
  bcc: z.array(person),
  reply_to: z.array(person),
  date: z.string().nullable(),
  subject: z.string(),
  in_reply_to: z.string().nullable(),
  message_id: z.string().nullable(),
  is_autoreply: z.boolean(),
});
const opening = z.looseObject({ opened_at: z.string() });
const events = (shape: z.ZodObject) => json(z.array(shape), { readOnly: true, default: [] as z.output<typeof shape>[] });

export const email = resource({
  ...kind("Email", "email"),
  moved: () => ({ ...leftBehind, bulk_email_action_id: null }),
  doc: "An e-mail with someone at a lead.",
  indexed: [...kind("Email", "email").indexed, "thread_id"],
  search: searched({ words: searchWords }),
  fields: {
    ...act("Email"),
    users: texts({ derive: involved, doc: usersDoc }),
    attachments: emailAttachments(),
    status: choice(messageStates, { default: "draft", doc: statusDoc }),
    direction: choice(["incoming", "outgoing"], { readOnly: true, filled: true }),
    sender: formed(isSender, addressReason, { doc: 'Who it is from: an address or `"Name" <address>`; by default the caller.' }),
    to: recipients("Whom it is to; by default the contact's first address."),
    cc: recipients("Who gets a copy."),
    bcc: recipients("Who gets a copy that the others do not see."),
    subject: text({ max: 1000, default: "" }),
    body_text: text({ max: bodyMax, doc: "The plain text; follows from `body_html` where it is not given." }),
    body_html: text({ max: bodyMax, doc: "The rich text; follows from `body_text` where it is not given." }),
    body_preview: text({ derive: (row: { body_text: string | null }) => preview(row.body_text), doc: "How the text begins." }),
    body_text_quoted: quotedText,
    body_html_quoted: quotedHtml,
    template_id: ref(
      "email_template",
      { onDelete: "keep", onMove: "clear" },
      { doc: "The template it was made from; without a body of its own the e-mail gets the template's, filled in." },
    ),
    template_name: label("template_id", "email_template", "name"),
    date_scheduled: timestamp({ doc: "When a scheduled e-mail is to be sent." }),
    date_sent: timestamp({ doc: "When it was sent or received." }),
    send_in: input(z.int().min(0).max(59), {
      doc: "With the status `outbox`: seconds to wait before sending, in which it can be taken back.",
    }),
    send_after: timestamp({ readOnly: true, hidden: true }),
    followup_date: timestamp({ doc: "When to follow up where nobody has answered." }),
    followup_sequence_id: ref("sequence", { onDelete: "clear", onMove: "clear" }, { doc: "The sequence to follow up with." }),
    followup_sequence_delay: integer({ min: 0, max: 2_147_483_647, doc: "Seconds before that sequence begins." }),
    followup_sequence_add_cc_bcc: boolean({ default: false }),
    in_reply_to_id: ref(
      "activity",
      { onDelete: "clear", onMove: "follow" },
      { doc: "The e-mail it answers; it joins its thread." },
    ),
    thread_id: ref("activity", { onDelete: "clear", onMove: "follow" }, { readOnly: true, filled: true, doc: "Its thread." }),
    message_ids: texts({ readOnly: true, default: [] as string[], doc: "The ids in its header." }),
    references: texts({ readOnly: true, default: [] as string[], doc: "The ids of the messages it refers to." }),
    envelope: json(envelope, { readOnly: true, doc: "Everybody in its header, taken apart." }),
    opens: events(opening),
    opens_summary: text({ derive: (row: { opens: object[] }) => times(row.opens.length, "Opened") }),
    clicks: events(z.looseObject({})),
    clicks_summary: text({ derive: (row: { clicks: object[] }) => times(row.clicks.length, "Clicked") }),
    has_reply: boolean({ readOnly: true, default: false, doc: "True when somebody has answered." }),
    send_attempts: events(z.looseObject({ date: z.string() })),
    email_account_id: ref(
      "connected_account",
      { onDelete: "clear", onMove: "clear" },
      { doc: "The connected account it goes through." },
    ),
    send_as_id: ref("send_as", { onDelete: "clear", onMove: "clear" }, { doc: "The identity it is sent under." }),
    bulk_email_action_id: text({ readOnly: true }),
    other_lead_ids: related(z.array(z.string()), otherLeads, "The other leads that one of its addresses is on."),
    need_smtp_credentials: boolean({ readOnly: true, default: false }),
  },
});

interface Words {
  subject: string;
  body_text: string | null;
  sender: string | null;
  to: string[];
  cc: string[];
}

function searchWords(row: Words): Part[] {
  const addresses = [row.sender ?? [], row.to, row.cc].flat();
  return [{ text: row.subject }, ...addresses.map((text) => ({ text })), { text: row.body_text }];
}

function involved(
  row: { user_id: string | null; sender: string | null; to: string[]; cc: string[]; bcc: string[] },
  directory: Directory,
): string[] {
  return [...new Set([...(row.user_id === null ? [] : [row.user_id]), ...membersOf(directory, row)])];
}

function preview(body: string | null): string | null {
  return body === null ? null : body.slice(0, 2000).replace(/\s+/g, " ").trim().slice(0, previewLength).toWellFormed();
}

const times = (count: number, did: string): string | null =>
  count === 0 ? null : `${did} ${count === 1 ? "once" : `${count} times`}`;

/** As far as the caller sees them. */
function otherLeads(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  const named = ["from", "to", "cc"].map((key) => sql`coalesce(${t}.envelope->${key}, '[]')`);
  const keys = sql`array(select lower(p->>'email') from jsonb_array_elements(${join(named, " || ")}) p)`;
  const has = (row: Sql) => sql`${row}.organization_id = ${ctx.organization_id} and ${row}.email_keys && ${keys}`;
  return sql`(select coalesce(json_agg(o.id order by o.id), '[]') from (
      select c.lead_id from contact c where ${has(raw("c"))} and ${visibleAsLead(ctx, "c") ?? raw("true")}
      union select l.id from lead l where ${has(raw("l"))} and ${leadIsVisible(ctx, "l") ?? raw("true")}
    ) o(id) where o.id <> ${t}.lead_id)`;
}
