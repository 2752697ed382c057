// Forwards a message by inbox rules: a new e-mail of the same lead, in the outbox like any other. Two programs must not pass a message
// on to each other forever, whatever is between them.
import { type Ctx, query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { createRecord } from "../../records/records.ts";
import { emailKey } from "../../values/email.ts";
import { type Attachment, attachedMax } from "../activities/attachments.ts";
import { email } from "../activities/email.ts";
import { markForwarded } from "../activities/forwarded.ts";
import { asPerson } from "../activities/recipients.ts";
import type { Outcome } from "../inbox/apply_rules.ts";
import { carriedOut, noteRefusal } from "../inbox/receipt.ts";
import { isFromMachine, type Message } from "./message.ts";

type Forwarding = Pick<Outcome, "forward_to" | "forwarded_by">;

export async function forwardByRules(ctx: Ctx, { forward_to, forwarded_by }: Forwarding, message: Message): Promise<void> {
  const sender = ctx.actor.user_id || message.user_id;
  const to = forwardedTo(message, forward_to);
  if (to.length === 0 || !sender) return;
  const refused = (await cameBack(ctx, message)) ? returned : await overCap(ctx, forwarded_by, fromOf(message));
  if (refused !== null) return noteRefusal(ctx, forwarded_by, refused);
  await carriedOut(ctx, forwarded_by, () => forward(inNameOf(ctx, sender), message, to, forwarded_by));
}

/** Automatic replies are not forwarded, and no message goes back to its sender. A bulk message answers nothing, so it may be forwarded. */
function forwardedTo(message: Message, addresses: readonly string[]): string[] {
  if (isFromMachine(message) && message.classification?.class !== "list") return [];
  const sender = message.sender ? asPerson(message.sender) : null;
  return addresses.filter((one) => sender === null || emailKey(one) !== emailKey(sender.email));
}

// --- loops ---

const returned = "forward_to: the message was forwarded by a rule before and came back";

/** It has our mark, or answers what a rule forwarded. */
async function cameBack(ctx: Ctx, { envelope, references, in_reply_to_id }: Message): Promise<boolean> {
  if (envelope?.returned) return true;
  const ids = (references ?? []).slice(-referencesMost);
  const [row] = await query(
    ctx,
    statement(
      sql`select from activity t where t.organization_id = ${ctx.organization_id} and t._type = 'Email' and t.direction = 'outgoing'
        and (t.message_ids <> '{}' and t.message_ids && ${ids}::text[] or t.id = ${in_reply_to_id ?? null})
        and t.envelope ? 'forwarded' limit 1`,
      "email.forwarded_before",
    ),
  );
  return row !== undefined;
}

const referencesMost = 50;

/** What one rule forwards in an hour, of one sender and of all. Programs that answer each other reach the first within a minute. */
const ofOneMost = 20;
const ofAllMost = 500;
const hourMs = 3_600_000;

async function overCap(ctx: Ctx, rules: readonly string[], from: string): Promise<string | null> {
  const since = new Date(ctx.now.getTime() - hourMs);
  const [row] = await query(
    ctx,
    statement(
      sql`select count(*), count(*) filter (where t.envelope->'forwarded'->>'from' = ${from}) from activity t
        where t.organization_id = ${ctx.organization_id} and t._type = 'Email' and t.date_created > ${since}
          and t.direction = 'outgoing' and t.envelope->'forwarded'->'by' ?| ${[...rules]}::text[]`,
      "email.forwarded_lately",
    ),
  );
  const [all, ofOne] = row!.map(Number);
  if (ofOne! >= ofOneMost) return `forward_to: ${ofOneMost} messages of ${from} were forwarded within the hour, and no more are`;
  return all! >= ofAllMost ? `forward_to: ${ofAllMost} messages were forwarded within the hour, and no more are` : null;
}

const fromOf = ({ sender, remote_phone }: Message): string =>
  (sender && emailKey(asPerson(sender)?.email ?? sender)) || remote_phone || "";

// --- the e-mail ---

/** A message that the service itself files is forwarded in the name of the member whose mail it is. */
const inNameOf = (ctx: Ctx, user_id: string): Ctx => ({ ...ctx, actor: { ...ctx.actor, user_id } });

async function forward(ctx: Ctx, message: Message, to: string[], by: string[]): Promise<void> {
  const { kept, left } = fitting(message.attachments ?? []);
  const lines = [
    `From: ${message.sender ?? message.remote_phone ?? ""}`,
    "",
    message.body_text ?? message.text ?? "",
    ...notice(left),
  ];
  const made = await createRecord(ctx, email, {
    lead_id: message.lead_id,
    contact_id: null,
    status: "outbox",
    to,
    subject: `Fwd: ${message.subject ?? ""}`.trim().slice(0, 1000),
    body_text: lines.join("\n"),
    attachments: kept.map(({ file_id, filename }) => ({ ...nothing, file_id, filename })),
  });
  markForwarded(ctx, made, { by, from: fromOf(message), author: message.sender ? asPerson(message.sender) : null });
}

const nothing = { url: null, content_type: null, size: null, thumbnail_url: null };

/** What is attached, in its order, as far as it can be sent. Pictures of the body are left out, as only its text is forwarded. */
function fitting(all: readonly Attachment[]): { kept: Attachment[]; left: Attachment[] } {
  const [kept, left]: [Attachment[], Attachment[]] = [[], []];
  let size = 0;
  for (const one of all.filter(({ inline_only }) => inline_only !== true)) {
    const fits = one.file_id !== null && size + (one.size ?? 0) <= attachedMax;
    (fits ? kept : left).push(one);
    if (fits) size += one.size ?? 0;
  }
  return { kept, left };
}

const notice = (left: readonly Attachment[]): string[] =>
  left.length === 0
    ? []
    : ["", `Not attached, because it is too large: ${left.map((one) => one.filename ?? "a file").join(", ")}`];
