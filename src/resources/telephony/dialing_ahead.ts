// What a predictive dialer needs to know: whether it may dial ahead, who waits for its calls, and which of its calls are still open.
// Somebody who is called and finds nobody there was abandoned. When that happens too often, the dialer works like `power`.
import { type Ctx, query, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { store } from "../../records/store.ts";
import { storedFor } from "../accounts/open_credentials.ts";
import type { call } from "../activities/call.ts";
import { dialer } from "./dialer.ts";
import { callerFor } from "./local_presence.ts";
import { onlineAmong } from "./presence.ts";
import { notConnected } from "./provider.ts";
import { free } from "./whom_to_ring.ts";

type Dialer = Row<typeof dialer>;

type Caller = Pick<Dialer, "user_id" | "caller_id" | "caller_id_mode">;
type Way = Pick<Dialer, "effective_type" | "status_details">;

// --- whether ---

/** The number that its calls come from, to `phone` or to anybody. */
export const callingNumber = (ctx: Ctx, of: Caller, phone: string | null = null): string | null =>
  callerFor(ctx, of, of.user_id, phone)?.number ?? null;

/** Stores whether the dialer dials ahead, and why not. */
export async function noteWay(ctx: Ctx, of: Dialer): Promise<Dialer> {
  const way = await wayOf(ctx, of);
  if (of.effective_type === way.effective_type && of.status_details === way.status_details) return of;
  return store.update(ctx, dialer, of, way);
}

/** Whether it dials ahead, and why not. */
export async function wayOf(ctx: Ctx, of: Caller & Pick<Dialer, "type">): Promise<Way> {
  if (of.type === "power") return { effective_type: "power", status_details: null };
  if ((await storedFor(ctx, "twilio")) === null) return likePower(notConnected);
  if (callingNumber(ctx, of) === null) return likePower("there is no number to call from: set caller_id");
  const { abandoned, answered } = await abandonedLately(ctx);
  if (abandoned <= answered * mostShare) return { effective_type: "predictive", status_details: null };
  const share = Math.round((abandoned / answered) * 1000) / 10;
  const found = `${share} % of the people who answered dialers' calls in 30 days found nobody there, and 3 % are allowed`;
  if (abandoned > alwaysAllowed) return likePower(found);
  const status_details = `${found}. It still calls ahead, because a single one is allowed (${answered} answered), but not a second`;
  return { effective_type: "predictive", status_details };
}

const likePower = (why: string): Way => ({
  effective_type: "power",
  status_details: `It works like power, because ${why}`,
});

const mostShare = 0.03;
/** Of few who answer, the first would be too many, and end it for thirty days. */
const alwaysAllowed = 1;

/** Of all dialers, so that a new dialer does not begin at zero. Machines that answered were no people. */
async function abandonedLately(ctx: Ctx): Promise<{ abandoned: number; answered: number }> {
  const [row] = await query(
    ctx,
    statement(sql`select count(*) filter (where a.status = 'cancel' and a.call_method = 'predictive'),
        count(*) filter (where a.date_answered is not null or a.status = 'cancel' and a.call_method = 'predictive')
      from activity a where a.organization_id = ${ctx.organization_id} and a.dialer_id is not null
        and a.answered_by is null and a.activity_at > ${ctx.now}::timestamptz - interval '30 days'`),
  );
  return { abandoned: Number(row![0]), answered: Number(row![1]) };
}

// --- for whom ---

/** Whoever has not asked for longer than this does something else. */
const readyMs = 60_000;

/** The caller waits for a call. */
export const isReady = (ctx: Ctx, { id }: Dialer): void =>
  write(ctx, {
    name: "dialer_agent.ready",
    text: `insert into dialer_agent (organization_id, dialer_id, user_id, ready_at, date_created) values ($1, $2, $3, $4, $4)
           on conflict (organization_id, dialer_id, user_id) do update set ready_at = excluded.ready_at`,
    values: [ctx.organization_id, id, ctx.actor.user_id, ctx.now],
  });

/** The members who wait for its calls, are online and not in a call. */
export async function agentsOf(ctx: Ctx, dialerId: string): Promise<string[]> {
  const rows = await query(ctx, {
    name: "dialer_agent.waiting",
    text: "select user_id from dialer_agent where organization_id = $1 and dialer_id = $2 and ready_at > $3 order by ready_at, user_id",
    values: [ctx.organization_id, dialerId, new Date(ctx.now.getTime() - readyMs)],
  });
  const waiting = rows.map(([id]) => id!);
  return free(ctx, await onlineAmong(ctx, waiting));
}

/** The member who takes this answered call, from now on theirs alone. Null while nobody is free. */
export async function takeAgent(ctx: Ctx, made: Pick<Row<typeof call>, "id" | "dialer_id">): Promise<string | null> {
  const taken = await agentOf(ctx, made);
  if (taken !== null) return taken;
  const { id, dialer_id } = made;
  for (const user_id of await agentsOf(ctx, dialer_id!)) if (await isTaken(ctx, id, dialer_id!, user_id)) return user_id;
  return null;
}

/** The member who has taken it. */
export async function agentOf(ctx: Ctx, { id }: Pick<Row<typeof call>, "id">): Promise<string | null> {
  const [entry] = await query(ctx, {
    name: "dialer_lead.agent",
    text: "select user_id from dialer_lead where organization_id = $1 and call_id = $2",
    values: [ctx.organization_id, id],
  });
  return entry?.[0] ?? null;
}

/** Somebody else may take the same member at this moment. */
async function isTaken(ctx: Ctx, callId: string, dialerId: string, userId: string): Promise<boolean> {
  const rows = await query(ctx, {
    name: "dialer_agent.take",
    text: "delete from dialer_agent where organization_id = $1 and dialer_id = $2 and user_id = $3 returning user_id",
    values: [ctx.organization_id, dialerId, userId],
  });
  if (rows.length === 0) return false;
  write(ctx, {
    name: "dialer_lead.take",
    text: "update dialer_lead set user_id = $3, taken_at = $4 where organization_id = $1 and call_id = $2",
    values: [ctx.organization_id, callId, userId, ctx.now],
  });
  return true;
}
