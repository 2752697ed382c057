// The state of sending by a mailbox. While its server is down or refuses the login, the pauses grow: one mail tries it again, and
// the others wait for the result.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { oneLine } from "../../values/one_line.ts";
import { failAccount, mendAccount } from "./account_states.ts";
import { connectedAccount } from "./connected_account.ts";
import { proveBy } from "./proof.ts";

type Account = Row<typeof connectedAccount>;

/** A server that is down for a moment is no news yet. */
const newsFrom = 3;

/** Sending failed: returns when to retry. `isPassing` marks failures that may pass by themselves. */
export async function sendingFailed(ctx: Ctx, id: string, reason: string, isPassing: boolean): Promise<Date | null> {
  const [account] = await lockToChange(ctx, connectedAccount, sql`t.id = ${id}`);
  if (account === undefined) return null;
  // Other mails that were being sent have failed a moment ago.
  if (isLeftInPeace(account, ctx.now)) return new Date(account.send_again_at!);
  const send_failures = account.send_failures + 1;
  const again = new Date(ctx.now.getTime() + pauseMs(send_failures));
  const values = { send_failures, send_again_at: again.toISOString(), latest_smtp_error: oneLine(reason, 1000) };
  store.update(ctx, connectedAccount, account, values);
  if (!isPassing || send_failures >= newsFrom) await failAccount(ctx, id, ["send"], reason);
  return again;
}

/** Sending worked: wakes the mails that waited for it. */
export async function sendingWorked(ctx: Ctx, sender: Account): Promise<void> {
  const { id, send_status, send_failures } = sender;
  proveBy(ctx, sender, "smtp");
  if (send_status !== "ok") await mendAccount(ctx, id, ["send"]);
  if (send_failures === 0) return;
  const [account] = await lockToChange(ctx, connectedAccount, sql`t.id = ${id}`);
  if (account === undefined) return;
  store.update(ctx, connectedAccount, account, { send_failures: 0, send_again_at: null, latest_smtp_error: null });
  await wakeWaitingMail(ctx, id);
}

export const isLeftInPeace = ({ send_again_at }: Pick<Account, "send_again_at">, now: Date): boolean =>
  send_again_at !== null && send_again_at > now.toISOString();

const minuteMs = 60_000;

/** A minute, two, four and so on, at most an hour. */
const pauseMs = (failures: number): number => Math.min(60, 2 ** (failures - 1)) * minuteMs;

const wokenMost = 10_000;

/** Wakes due mails that wait for this mailbox, the oldest first. */
export async function wakeWaitingMail(ctx: Ctx, id: string): Promise<void> {
  const waiting = await query(
    ctx,
    statement(sql`select id from activity where organization_id = ${ctx.organization_id} and email_account_id = ${id}
      and send_after is not null and send_after <= ${ctx.now} order by send_after, id limit ${wokenMost}`),
  );
  const ids = waiting.map(([one]) => one!);
  wake(ctx, { kind: "email" }, ids, ctx.now, id);
}
