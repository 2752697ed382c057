// An e-mail: received, sent, or still being written.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { boolean, choice, formed, input, integer, json, label, ref, related, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { join, name, raw, type Sql, sql } from "../../db/sql.ts";
import { checkAmong, readValues } from "../../records/comparisons.ts";
import { type Part, searched } from "../../search/searched.ts";
import { leadIsVisible, visibleAsLead } from "../leads/visibility.ts";
import { bounce, classEffects, classification } from "../mail_class/classification.ts";
import { mailClasses } from "../mail_class/classify.ts";
import { mailPreview } from "../mail_class/written.ts";
import { act, kind, leftBehind, usersDoc } from "./act.ts";
import { emailAttachments } from "./attachments.ts";
import { leavingFields, messageStates, sendsTo, statusDoc } from "./message_states.ts";
import { quotedHtml, quotedText } from "./quoted.ts";
import { addressReason, isSender, membersOf, recipients } from "./recipients.ts";

/** Bodies are longer than notes, because newsletters arrive here too. */
export const subjectMax = 1000;
const bodyMax = 500_000;

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
  /** Of an e-mail that inbox rules forwarded: these rules, and whose message it was. */
  forwarded: z.object({ by: z.array(z.string()), from: z.string() }).optional(),
  /** Of one that arrived: inbox rules of the organization had forwarded it before. */
  returned: z.boolean().optional(),
});
const byWhom = { ip_address: z.string(), user_agent: z.string(), is_machine: z.boolean().optional() };
const opening = z.looseObject({ opened_at: z.string(), opened_by: z.string().optional(), ...byWhom }).partial({
  ip_address: true,
  user_agent: true,
});
const click = z.looseObject({ clicked_at: z.string(), url: z.string(), clicked_by: z.string().optional(), ...byWhom });
const tracking = z.strictObject({ opens: z.boolean().optional(), clicks: z.boolean().optional() });
const attempt = z.looseObject({ date: z.string(), error_class: z.string().optional(), error_message: z.string().optional() });
/** The server's replies about single recipients. Null when nobody knows whether the server has the mail. */
const receipt = z.object({ to: z.array(z.string()), date: z.string(), taken: z.boolean().nullable(), reply: z.string() });
const events = <S extends z.ZodObject>(shape: S, doc: string) =>
  json(z.array(shape), { readOnly: true, default: [] as z.output<S>[], doc });

export const email = resource({
  ...kind("Email", "email"),
  moved: () => ({ ...leftBehind, bulk_email_action_id: null, class_effects: null, mailbox_user_ids: [] }),
  doc: "An e-mail to or from a person at a lead.",
  indexed: [...kind("Email", "email").indexed, "thread_id"],
  sendsTo,
  search: searched({ words: searchWords }),
  filters: {
    ...kind("Email", "email").filters,
    class: {
      doc: "Only received e-mails of this class, or of these separated by commas.",
      sql: (_ctx, value, alias) => sql`${name(alias)}.classification->>'class' = any(${readClasses(value)}::text[])`,
    },
  },
  fields: {
    ...act("Email"),
    users: texts({ derive: involved, doc: usersDoc }),
    attachments: emailAttachments(),
    status: choice(messageStates, { default: "draft", doc: statusDoc }),
    direction: choice(["incoming", "outgoing"], { readOnly: true, filled: true }),
    sender: formed(isSender, addressReason, { doc: 'Who it is from: an address or `"Name" <address>`; by default the caller.' }),
    to: recipients("The recipients; by default the contact's first address."),
    cc: recipients("Recipients of copies."),
    bcc: recipients("Recipients of blind copies."),
    subject: text({ max: subjectMax, default: "" }),
    body_text: text({ max: bodyMax, doc: "The plain text; follows from `body_html` where it is not given." }),
    body_html: text({ max: bodyMax, doc: "The rich text; follows from `body_text` where it is not given." }),
    body_preview: text({
      derive: ({ body_text }: { body_text: string | null }) => (body_text === null ? null : mailPreview(body_text)),
      doc: "The beginning of the text, without quotations and the signature.",
    }),
    body_text_quoted: quotedText,
    body_html_quoted: quotedHtml,
    template_id: ref(
      "email_template",
      { onDelete: "keep", onMove: "clear" },
      { doc: "The template of the e-mail. Without a body, the e-mail gets the template's body, filled in." },
    ),
    template_name: label("template_id", "email_template", "name"),
    date_scheduled: timestamp({ doc: "When a scheduled e-mail is to be sent." }),
    date_sent: timestamp({ doc: "When it was sent or received." }),
    send_in: input(z.int().min(0).max(59), {
      doc: "With the status `outbox`: seconds to wait before sending. Until then it can be taken back.",
    }),
    ...leavingFields,
    followup_date: timestamp({ doc: "When to follow up where nobody has answered." }),
    followup_made_at: timestamp({ readOnly: true, hidden: true, doc: "When its date had come and nobody had answered." }),
    followup_sequence_id: ref("sequence", { onDelete: "clear", onMove: "clear" }, { doc: "The sequence to follow up with." }),
    followup_sequence_delay: integer({ min: 0, max: 2_147_483_647, doc: "Seconds before that sequence starts." }),
    followup_sequence_add_cc_bcc: boolean({
      default: false,
      doc: "Whether those in copy are subscribed to the follow-up sequence too.",
    }),
    in_reply_to_id: ref(
      "activity",
      { onDelete: "clear", onMove: "follow" },
      { doc: "The e-mail that this one answers. It joins that thread." },
    ),
    thread_id: ref("activity", { onDelete: "clear", onMove: "follow" }, { readOnly: true, filled: true, doc: "Its thread." }),
    message_ids: texts({ readOnly: true, default: [] as string[], doc: "The ids in its header." }),
    references: texts({ readOnly: true, default: [] as string[], doc: "The ids of the messages it refers to." }),
    envelope: json(envelope, { readOnly: true, doc: "All people in its header, parsed." }),
    tracking: json(tracking, {
      doc: "Whether opens and clicks are recorded. The default is `settings.email_tracking` of the organization.",
    }),
    opens: events(opening, "When and by whom it was opened, and whether that was a program."),
    opens_summary: text({ derive: (row: { opens: Engaged[] }) => times(byPeople(row.opens), "Opened") }),
    clicks: events(click, "Which of its links were followed, when and by whom, and whether that was a program."),
    clicks_summary: text({ derive: (row: { clicks: Engaged[] }) => times(byPeople(row.clicks), "Clicked") }),
    has_reply: boolean({ readOnly: true, default: false, doc: "True when somebody has replied." }),
    bounces: json(z.array(bounce), {
      readOnly: true,
      default: [] as z.output<typeof bounce>[],
      doc: "For a sent e-mail: the recipients whose mail bounced. `hard`: there is no such address; `soft`: a temporary failure; `policy`: refused because of the sender or the content.",
    }),
    classification: classification(),
    class_effects: json(classEffects, { readOnly: true, hidden: true }),
    send_attempts: json(z.array(attempt), {
      readOnly: true,
      default: [] as z.output<typeof attempt>[],
      doc: "Why it could not be sent, or did not reach some of its recipients. The latest error is last.",
    }),
    receipts: json(z.array(receipt), { readOnly: true, hidden: true, default: [] as z.output<typeof receipt>[] }),
    email_account_id: ref(
      "connected_account",
      { onDelete: "clear", onMove: "clear" },
      { doc: "The connected account that sends it." },
    ),
    send_as_id: ref("send_as", { onDelete: "clear", onMove: "clear" }, { doc: "The identity it is sent as." }),
    bulk_email_action_id: text({ readOnly: true, doc: "The bulk action that sent it." }),
    other_lead_ids: related(z.array(z.string()), otherLeads, "Other leads with one of its addresses."),
    mailbox_user_ids: texts({
      readOnly: true,
      hidden: true,
      default: [] as string[],
      doc: "The members with this e-mail in their mailbox.",
    }),
    need_smtp_credentials: boolean({
      readOnly: true,
      default: false,
      doc: "Only for clients that expect it: always false here.",
    }),
  },
});

function readClasses(value: string): string[] {
  const classes = readValues(value);
  checkAmong(classes, mailClasses);
  return classes;
}

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

interface Involved {
  user_id: string | null;
  mailbox_user_ids: string[] | null;
  sender: string | null;
  to: string[];
  cc: string[];
  bcc: string[];
}

function involved(row: Involved, directory: Directory): string[] {
  const { user_id, mailbox_user_ids } = row;
  return [...new Set([user_id ?? [], mailbox_user_ids ?? [], membersOf(directory, row)].flat())];
}

interface Engaged {
  is_machine?: boolean;
}

/** Opens and clicks by programs do not count. */
const byPeople = (list: readonly Engaged[]): number => list.filter(({ is_machine }) => is_machine !== true).length;

const times = (count: number, did: string): string | null =>
  count === 0 ? null : `${did} ${count === 1 ? "once" : `${count} times`}`;

/** The opens and clicks that the caller may see. */
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
