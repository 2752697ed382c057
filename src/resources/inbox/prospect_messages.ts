// The messages of a prospect, stored so that they can be filed when the prospect is converted.
import { type Ctx, query, transactionOf, write } from "../../core/context.ts";
import { newId } from "../../values/id.ts";
import { pgTimestamp } from "../../values/time.ts";
import type { ArrivedEmail } from "../activities/arrived_email.ts";
import type { KeptPart } from "../activities/arrived_parts.ts";
import { claimBytes } from "../files/stored_bytes.ts";

export interface ProspectMessage {
  id: string;
  /** For mail: its identity, which is the same in every mailbox. */
  identity: string | null;
  email: ArrivedEmail | null;
  subject: string | null;
  body_text: string | null;
  message: Record<string, unknown>;
  received_at: string;
}

export async function keepMessage(
  ctx: Ctx,
  prospectId: string,
  { identity, email, subject, body_text, message, received_at }: Omit<ProspectMessage, "id">,
  parts: readonly KeptPart[],
): Promise<void> {
  const id = newId("pmsg", ctx.now.getTime());
  write(ctx, {
    name: "prospect_message.insert",
    text: `insert into prospect_message (organization_id, id, prospect_id, identity, email, subject, body_text, message, received_at, date_created)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    values: [ctx.organization_id, id, prospectId, identity, json(email), subject, body_text, json(message), received_at, ctx.now],
  });
  for (const part of parts) {
    await claimBytes(ctx, part.kept.storage_key);
    write(ctx, {
      name: "prospect_file.insert",
      text: `insert into prospect_file (organization_id, id, message_id, storage_key, part, date_created) values ($1, $2, $3, $4, $5, $6)`,
      values: [ctx.organization_id, newId("pfile", ctx.now.getTime()), id, part.kept.storage_key, json(part), ctx.now],
    });
  }
}

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** In the order of their arrival. */
export async function messagesOf(ctx: Ctx, prospectId: string): Promise<ProspectMessage[]> {
  const rows = await query(ctx, {
    name: "prospect_message.list",
    text: `select id, identity, email, subject, body_text, message, received_at from prospect_message
           where organization_id = $1 and prospect_id = $2 order by received_at, id`,
    values: [ctx.organization_id, prospectId],
  });
  return rows.map(([id, identity, email, subject, body_text, message, received_at]) => ({
    id: id!,
    identity: identity ?? null,
    email: email == null ? null : JSON.parse(email),
    subject: subject ?? null,
    body_text: body_text ?? null,
    message: JSON.parse(message!),
    received_at: pgTimestamp(received_at!),
  }));
}

/** Takes the attachments of a message away from it. The caller makes files of them. */
export async function takeParts(ctx: Ctx, messageId: string): Promise<KeptPart[]> {
  const rows = await transactionOf(ctx).read({
    name: "prospect_file.take",
    text: `update prospect_file set taken_at = $3 where organization_id = $1 and message_id = $2 and taken_at is null returning id, part`,
    values: [ctx.organization_id, messageId, ctx.now],
  });
  return rows.sort(([one], [other]) => (one! < other! ? -1 : 1)).map(([, part]) => JSON.parse(part!));
}

/** The prospect was converted and is not any more, or the other way round: the attachments follow. */
export function partsFollow(ctx: Ctx, { id, status }: { id: string; status: string }): void {
  write(ctx, {
    name: "prospect_file.follow",
    text: `update prospect_file f set taken_at = case when $3 = 'converted' then $4::timestamptz end
           from prospect_message m where m.organization_id = $1 and m.prospect_id = $2 and f.organization_id = $1 and f.message_id = m.id`,
    values: [ctx.organization_id, id, status, ctx.now],
  });
}

/** True when a mailbox has brought this message already. */
export async function hasMessage(ctx: Ctx, accountId: string, identity: string): Promise<boolean> {
  const rows = await query(ctx, {
    name: "prospect_message.find",
    text: `select from prospect_message m join inbox_prospect p on p.organization_id = $1 and p.id = m.prospect_id
           where m.organization_id = $1 and m.identity = $2 and p.account_id = $3 limit 1`,
    values: [ctx.organization_id, identity, accountId],
  });
  return rows.length > 0;
}
