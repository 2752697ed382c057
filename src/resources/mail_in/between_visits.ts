// What is kept of a mailbox between visits: from when on it is read, and how often in a row it could not be.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import { pgTimestamp } from "../../values/time.ts";
import type { Account } from "./visit.ts";

const dayMs = 86_400_000;
/** A member who connects a mailbox has the messages of the last days at hand. */
const pastMs = 30 * dayMs;

const sinceWhen = (ctx: Ctx): Date => new Date(ctx.now.getTime() - pastMs);

/** The date from which its messages are read. Set at the first visit, for good. */
export async function beginningOf(ctx: Ctx, { id }: Account): Promise<Date> {
  const [row] = await transactionOf(ctx).read({
    name: "mailbox.begin",
    text: `insert into mailbox (organization_id, account_id, since) values ($1, $2, $3)
           on conflict (organization_id, account_id) do update set since = mailbox.since returning since`,
    values: [ctx.organization_id, id, sinceWhen(ctx)],
  });
  return new Date(pgTimestamp(row![0]!));
}

/**
 * Counts one more failure: how many there are in a row, and since when. If only the owner can solve it, there is no automatic
 * retry.
 */
export async function countFailure(ctx: Ctx, account: Account, needsOwner: boolean): Promise<{ failures: number; since: Date }> {
  await beginningOf(ctx, account);
  const [row] = await transactionOf(ctx).read({
    name: "mailbox.fail",
    text: `update mailbox set failures = failures + 1, failing_since = coalesce(failing_since, $3), needs_owner = $4
           where organization_id = $1 and account_id = $2 returning failures, failing_since`,
    values: [ctx.organization_id, account.id, ctx.now, needsOwner],
  });
  return { failures: Number(row![0]), since: new Date(pgTimestamp(row![1]!)) };
}

/** No retry until somebody changes the account. */
export function waitForOwner(ctx: Ctx, id: string): void {
  write(ctx, {
    name: "mailbox.wait",
    text: `insert into mailbox (organization_id, account_id, since, needs_owner)
           select organization_id, id, $3::timestamptz, true from connected_account where organization_id = $1 and id = $2
           on conflict (organization_id, account_id) do update set needs_owner = true`,
    values: [ctx.organization_id, id, sinceWhen(ctx)],
  });
}

export function forgetFailures(ctx: Ctx, { id }: Account): void {
  write(ctx, {
    name: "mailbox.succeed",
    text: `update mailbox set failures = 0, failing_since = null, needs_owner = false
           where organization_id = $1 and account_id = $2 and (failures > 0 or needs_owner)`,
    values: [ctx.organization_id, id],
  });
}
