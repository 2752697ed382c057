// Whether an account works. Code that sends or fetches with it reports failures and recoveries here.
import type { Ctx } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { oneLine } from "../../values/one_line.ts";
import { notify } from "../notifications/notify.ts";
import { connectedAccount } from "./connected_account.ts";

type Account = Row<typeof connectedAccount>;

/** The uses of an account, with the fields that show their state. */
const ways = {
  send: { status: "send_status", error: "latest_smtp_error" },
  receive: { status: "receive_status", error: "latest_imap_error" },
  calendar: { status: "calendar_status", error: "latest_calendar_error" },
} as const;

export type Way = keyof typeof ways;
export const allWays = Object.keys(ways) as Way[];

/**
 * A use of the account fails: the account shows the reason, and its owner is notified if it is new. Uses that are switched off do
 * not change.
 */
export async function failAccount(ctx: Ctx, id: string, those: readonly Way[], reason: string): Promise<void> {
  const account = await lockAccount(ctx, id);
  if (account === null) return;
  const used = those.filter((way) => account[ways[way].status] !== "disabled");
  const isNews = used.some((way) => account[ways[way].status] !== "error");
  const error = oneLine(reason, 1000);
  store.update(ctx, connectedAccount, account, valuesOf(used, "error", error));
  if (isNews) tellOwner(ctx, account, error);
}

/** A use works, for the first time or again. With a reason, only failures with that reason are cleared. */
export async function mendAccount(ctx: Ctx, id: string, those: readonly Way[], reason?: string): Promise<void> {
  const account = await lockAccount(ctx, id);
  if (account === null) return;
  const isMended = (said: string | null) => reason === undefined || said === oneLine(reason, 1000);
  const isDown = (status: string) => status === "error" || status === "untested";
  const failing = those.filter((way) => isDown(account[ways[way].status]) && isMended(account[ways[way].error]));
  if (failing.length > 0) store.update(ctx, connectedAccount, account, valuesOf(failing, "ok", null));
}

async function lockAccount(ctx: Ctx, id: string): Promise<Account | null> {
  return (await lockToChange(ctx, connectedAccount, sql`t.id = ${id}`))[0] ?? null;
}

const valuesOf = (those: readonly Way[], status: "ok" | "error", error: string | null): Values<typeof connectedAccount> =>
  Object.fromEntries(those.flatMap((way) => [[ways[way].status, status] as const, [ways[way].error, error] as const]));

function tellOwner(ctx: Ctx, { id, user_id, email, _type }: Account, reason: string): void {
  notify(ctx, [user_id], {
    type: "account_error",
    title: `${email ?? _type} does not work`,
    body: reason,
    object_type: "connected_account",
    object_id: id,
    actor_id: null,
  });
}
