// A call that a provider carries: a record, or a message of a prospect. Its states only go forwards: ringing, in progress, over.
import type { Ctx } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import type { CallState } from "../../services/telephony.ts";
import type { StrangerCall } from "../inbox/stranger_call.ts";
import { strangerGoesOn, strangerOf } from "../inbox/stranger_calls.ts";
import { call } from "./call.ts";
import { callGoesOn, isLive } from "./call_verbs.ts";
import { isPlaced } from "./calls_out.ts";
import { tellOfStrangersCall } from "./notices.ts";

type Call = Row<typeof call>;

export type CarriedCall = (Call & { kind: "call" }) | (StrangerCall & { kind: "stranger"; prospect_id: string });

type Status = Call["status"];

/** How an outgoing call ended, by the state of the other phone. */
export const outcomes: Partial<Record<CallState, Status>> = {
  completed: "completed",
  busy: "busy",
  "no-answer": "no-answer",
  canceled: "cancel",
  failed: "failed",
};
type Told = Values<typeof call> & Partial<Pick<Call, "user_id" | "duration" | "date_answered">>;

/** What the provider's report is about. */
export interface Named {
  provider_id: string;
  /** The id in the address that was called. */
  id: string;
  account: string;
}

/**
 * The call by the provider's id. Null when it no longer exists. A prospect may have become a record in the meantime, and for a
 * call being placed this may be the first report.
 */
export async function lockCarried(ctx: Ctx, { provider_id, id, account }: Named): Promise<CarriedCall | null> {
  const isPlacing = sql`t.provider_id is null and t.id = ${id} and t.sending_account = ${account}`;
  const [row] = await findRecords(
    ctx,
    call,
    [sql`(t.provider_id = ${provider_id} or ${isPlacing})`],
    sql`order by t.provider_id nulls last limit 1 for no key update of t`,
  );
  if (row !== undefined) return { ...(row.provider_id === null ? isPlaced(ctx, row, provider_id) : row), kind: "call" };
  const stranger = await strangerOf(ctx, provider_id);
  return stranger === null ? null : { ...stranger.call, kind: "stranger", prospect_id: stranger.prospect_id };
}

export const isAnswered = ({ status }: CarriedCall): boolean => status === "in-progress" || status === "completed";

/** Somebody has answered. */
export async function talks(ctx: Ctx, carried: CarriedCall, values: Told, since: Date = ctx.now): Promise<CarriedCall> {
  if (carried.status !== "created") return carried;
  return goesOn(ctx, carried, "in-progress", { ...values, date_answered: since.toISOString() });
}

/** It is over, after this many seconds of conversation. Null when nobody has reported the duration. */
export async function ends(ctx: Ctx, carried: CarriedCall, status: Status, seconds: number | null, values: Told): Promise<void> {
  if (!isLive(carried)) return;
  if (status !== "completed") return void (await goesOn(ctx, carried, status, values));
  const talking = await talks(ctx, carried, values, new Date(ctx.now.getTime() - (seconds ?? 0) * 1000));
  const measured = Math.round((ctx.now.getTime() - Date.parse(talking.date_answered!)) / 1000);
  await goesOn(ctx, talking, "completed", { duration: seconds ?? measured });
}

/** Something else is known of it now. */
export const isKnown = (ctx: Ctx, carried: CarriedCall, values: Told): Promise<CarriedCall> =>
  goesOn(ctx, carried, carried.status, values);

async function goesOn(ctx: Ctx, carried: CarriedCall, status: Status, values: Told): Promise<CarriedCall> {
  if (carried.kind === "call") return { ...(await callGoesOn(ctx, carried, status, values)), kind: "call" };
  const after = await strangerGoesOn(ctx, carried, { ...values, status } as Partial<StrangerCall>);
  if (status === "no-answer" && carried.status !== status) tellOfStrangersCall(ctx, after, carried.prospect_id);
  return { ...after, kind: "stranger", prospect_id: carried.prospect_id };
}
