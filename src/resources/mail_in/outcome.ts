// The result of a visit to a mailbox, and when the next one is.
import { type Ctx, write } from "../../core/context.ts";
import type { MailboxError } from "../../services/imap.ts";
import { failAccount, mendAccount } from "../accounts/account_states.ts";
import { proveBy } from "../accounts/proof.ts";
import { countFailure, forgetFailures } from "./between_visits.ts";
import type { Account } from "./visit.ts";

const minuteMs = 60_000;

/** How often a mailbox is visited at rest. */
const restMs = 5 * minuteMs;
/** How long a server may be down before the account's owner is notified. */
const patienceMs = 15 * minuteMs;
const pauseMostMs = 15 * minuteMs;

/** Spread over time, so that many visits do not come at once. */
const inAbout = (ctx: Ctx, ms: number): Date => new Date(ctx.now.getTime() + ms * (0.8 + Math.random() * 0.4));

/** Returns when the next visit is. */
export async function noteSuccess(ctx: Ctx, account: Account, isMore: boolean): Promise<Date> {
  forgetFailures(ctx, account);
  // This is no change of the account: its version and its date stay.
  write(ctx, {
    name: "connected_account.fetched",
    text: "update connected_account set last_synced_at = $3 where organization_id = $1 and id = $2",
    values: [ctx.organization_id, account.id, ctx.now],
  });
  proveBy(ctx, account, "imap");
  if (account.receive_status === "error") await mendAccount(ctx, account.id, ["receive"]);
  return isMore ? ctx.now : inAbout(ctx, restMs);
}

/** Retries with growing pauses. After a refused login it waits until somebody has changed it, or the account could be locked. */
export async function noteFailure(
  ctx: Ctx,
  account: Account,
  { problem, message }: MailboxError,
  hasRead: boolean,
): Promise<Date | null> {
  // A connection that breaks again and again is slow or bad, but not down.
  if (hasRead) forgetFailures(ctx, account);
  const isRefused = problem === "login";
  const { failures, since } = await countFailure(ctx, account, isRefused);
  if (isRefused || ctx.now.getTime() - since.getTime() >= patienceMs) await failAccount(ctx, account.id, ["receive"], message);
  return isRefused ? null : inAbout(ctx, Math.min(pauseMostMs, minuteMs * 2 ** (failures - 2)));
}
