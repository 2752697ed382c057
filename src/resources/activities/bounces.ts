// Bounces of mail that we sent: which recipients did not get it, and why.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { emit } from "../../records/event.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { email } from "./email.ts";

type Email = Row<typeof email>;
export type Bounce = Email["bounces"][number];

/** Stores bounces with the mail that they are about. A repeated report for a recipient is ignored. Returns the new ones. */
export function noteBounces(ctx: Ctx, sent: Email, bounces: readonly Bounce[]): Bounce[] {
  const isKnown = (one: Bounce) => sent.bounces.some(({ address, kind }) => address === one.address && kind === one.kind);
  const news = bounces.filter((one) => !isKnown(one));
  if (news.length === 0) return [];
  const after = store.update(ctx, email, sent, { bounces: [...sent.bounces, ...news] });
  for (const { address, status, kind, reason } of news)
    emit(ctx, email, { action: "bounced", after, meta: { address, status, kind, reason } });
  return news;
}

/** How many recipients of an account's mail have refused it since a moment because of its sender. */
export async function refusingRecipients(ctx: Ctx, accountId: string, since: Date): Promise<number> {
  const [row] = await query(
    ctx,
    statement(
      sql`select count(distinct b->>'address') from activity t cross join jsonb_array_elements(t.bounces) b
        where t.organization_id = ${ctx.organization_id} and t.email_account_id = ${accountId} and t.bounces <> '[]'
          and t.bounces @> '[{"kind": "policy"}]' and b->>'kind' = 'policy' and (b->>'date')::timestamptz >= ${since}`,
      "email.refusing_recipients",
    ),
  );
  return Number(row![0]);
}

/** The message was taken for a bounce by mistake. */
export async function forgetBounces(ctx: Ctx, reportedBy: string): Promise<void> {
  const reported = sql`t.bounces @> ${JSON.stringify([{ reported_by: reportedBy }])}::jsonb and t.bounces <> '[]'`;
  for (const one of await lockToChange(ctx, email, reported))
    store.update(ctx, email, one, { bounces: one.bounces.filter(({ reported_by }) => reported_by !== reportedBy) });
}

/** The number of temporary bounces from an address since a moment, for reasons that do not say that the address is wrong. */
export async function softBounces(ctx: Ctx, address: string, since: Date): Promise<number> {
  const [row] = await query(
    ctx,
    statement(
      sql`select count(*) from activity t cross join jsonb_array_elements(t.bounces) b
        where t.organization_id = ${ctx.organization_id} and t.bounces <> '[]'
          and t.bounces @> ${JSON.stringify([{ address, kind: "soft" }])}::jsonb
          and b->>'address' = ${address} and b->>'kind' = 'soft' and (b->>'date')::timestamptz >= ${since}`,
      "email.soft_bounces",
    ),
  );
  return Number(row![0]);
}
