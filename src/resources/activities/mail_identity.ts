// Identifies mail messages, so that an organization files each message once, however many mailboxes and folders contain it and
// however often they are read.
import { type Ctx, transactionOf, write } from "../../core/context.ts";

export interface Filed {
  /** What it was filed as. Null when it is not an e-mail of a lead. */
  activity_id: string | null;
  /** Null for what we sent. */
  fingerprint: string | null;
}

/** Messages that have been filed already, by identity. */
export async function filedOf(ctx: Ctx, identities: readonly string[]): Promise<Map<string, Filed>> {
  const rows = await transactionOf(ctx).read({
    name: "mail_identity.find",
    text: "select identity, activity_id, fingerprint from mail_identity where organization_id = $1 and identity = any($2)",
    values: [ctx.organization_id, identities],
  });
  return new Map(
    rows.map(([identity, activity_id, fingerprint]) => [
      identity!,
      { activity_id: activity_id ?? null, fingerprint: fingerprint ?? null },
    ]),
  );
}

/** False when somebody else is filing the message at this moment, or has filed it. The second waits and finds it. */
export async function claimIdentity(ctx: Ctx, identity: string, fingerprint: string): Promise<boolean> {
  const made = await transactionOf(ctx).read({
    name: "mail_identity.claim",
    text: `insert into mail_identity (organization_id, identity, fingerprint, date_created) values ($1, $2, $3, $4)
           on conflict do nothing returning identity`,
    values: [ctx.organization_id, identity, fingerprint, ctx.now],
  });
  return made.length > 0;
}

/** What a message is filed as, locked. Whoever files it at the same time waits, and finds it filed. */
export async function lockFiled(ctx: Ctx, identity: string): Promise<string | null> {
  const [row] = await transactionOf(ctx).read({
    name: "mail_identity.lock",
    text: "select activity_id from mail_identity where organization_id = $1 and identity = $2 for update",
    values: [ctx.organization_id, identity],
  });
  return row?.[0] ?? null;
}

/** Records what a message is filed as, or that we are sending it, so that it is not filed again. Waits for nothing. */
export function noteIdentity(ctx: Ctx, identity: string, activityId: string): void {
  write(ctx, {
    name: "mail_identity.note",
    text: `insert into mail_identity (organization_id, identity, activity_id, date_created) values ($1, $2, $3, $4)
           on conflict (organization_id, identity) do update set activity_id = excluded.activity_id`,
    values: [ctx.organization_id, identity, activityId, ctx.now],
  });
}
