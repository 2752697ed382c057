// What one API key or connection may do at most in an hour and in a day. It is counted in the transaction of each write, at its end:
// calls at the same time wait for each other there, and what is refused or undone uses nothing.
import { type Ctx, credentialOf, read } from "../core/context.ts";
import { Problem } from "../core/errors.ts";
import type { Around } from "../core/perform.ts";
import { listen, newRecipients } from "./written.ts";

export const kinds = ["writes", "deletes", "messages", "ai_tokens"] as const;
export type Kind = (typeof kinds)[number];
export const periods = ["hour", "day"] as const;
type Period = (typeof periods)[number];

export type Limit = `${Kind}_per_${Period}`;
export type Used = Partial<Record<Kind, number>>;

/** A stored budget, as the directory has it. */
type Budget = { holder_id: string; client_id: string | null; client_user_id: string | null } & Record<Limit, number | null>;

/** The budget of the key or connection that asks, or of an earlier connection of the same application and person, or undefined. */
export function budgetOf({ actor, directory }: Ctx): Budget | undefined {
  if (!directory.has("budget")) return undefined;
  const all = directory.all("budget") as unknown as readonly Budget[];
  if (all.length === 0) return undefined;
  const { oauth, user_id } = actor;
  const isOfClient = (one: Budget) => one.client_id === oauth?.client_id && one.client_user_id === user_id;
  return (
    all.find(({ holder_id }) => holder_id === credentialOf(actor)) ?? (oauth === undefined ? undefined : all.find(isOfClient))
  );
}

/**
 * What one key or connection sends by tools in an hour, unless a budget says another number: text in records may tell an agent to
 * write to everybody.
 */
const messagesByTools = 50;

function usualOf(ctx: Ctx, budget: Budget | undefined): Budget | undefined {
  if (ctx.request.byTool !== true || budget?.messages_per_hour != null) return undefined;
  return { holder_id: credentialOf(ctx.actor), messages_per_hour: messagesByTools } as Budget;
}

/** Whether anything bounds who asks. */
export const isBounded = (ctx: Ctx): boolean => ctx.request.byTool === true || budgetOf(ctx) !== undefined;

/** Put around a write. */
export const budgeted: Around = async (ctx, { operation, given }, act) => {
  // A preview writes nothing.
  if (operation.previews === true && given.body.dry_run === true) return act();
  const budget = budgetOf(ctx);
  const usual = usualOf(ctx, budget);
  if (budget === undefined && usual === undefined) return act();
  const written = listen(ctx);
  const answered = await act();
  // What sends later is counted ahead.
  const sends = written.some((one) => newRecipients(one) !== null);
  if (budget !== undefined || sends) await spendOf(ctx, [budget, usual], await usedBy(ctx));
  return answered;
};

/** Counts what follows a write later, such as the records of bulk work. `soon` is what of it may follow within the hour. */
export async function spendAhead(ctx: Ctx, used: Used, soon: Used = used): Promise<void> {
  const budget = budgetOf(ctx);
  await spendOf(ctx, [budget], used);
  await spendOf(ctx, [usualOf(ctx, budget)], soon);
}

async function spendOf(ctx: Ctx, budgets: readonly (Budget | undefined)[], used: Used): Promise<void> {
  for (const budget of budgets) if (budget !== undefined) await spend(ctx, budget, used);
}

/** The same outside of a transaction. What is below zero is given back. */
export async function spendOutside(ctx: Ctx, used: Used): Promise<void> {
  const budget = budgetOf(ctx);
  if (budget !== undefined) await ctx.db.transaction(ctx.organization_id, (tx) => spend({ ...ctx, tx }, budget, used));
}

/** The object types of what is sent. */
const messages = ["activity.email", "activity.sms", "activity.channel_message"];

/** What this write did, by its events: with all that was deleted along, and messages that are to leave, one for each recipient. */
async function usedBy(ctx: Ctx): Promise<Used> {
  const [row] = await read(ctx, {
    name: "budget.count_events",
    text: `select count(*) filter (where action not in ('deleted', 'merged')), count(*) filter (where action in ('deleted', 'merged')),
             coalesce(sum(greatest(1, (
               select count(*) from unnest(array['to', 'cc', 'bcc']) place,
                 json_array_elements(case json_typeof(data->place) when 'array' then data->place end)
             ))) filter (where object_type = any($4)
               and data->>'status' in ('outbox', 'scheduled') and (action = 'created' or 'status' = any(changed_fields))), 0)
           from event where organization_id = $1 and date_created = $2 and request_id = $3`,
    values: [ctx.organization_id, ctx.now, ctx.request.id, messages],
  });
  const [writes, deletes, sent] = row!.map(Number) as [number, number, number];
  // Some records have no events. Their write counts all the same.
  return { writes: writes + deletes === 0 ? 1 : writes, deletes, messages: sent };
}

/** Where the clock is in each period, and when that ends. */
export function windowOf(period: Period, now: Date): { begins: Date; ends: Date } {
  const width = period === "hour" ? 3_600_000 : 86_400_000;
  const begins = Math.floor(now.getTime() / width) * width;
  return { begins: new Date(begins), ends: new Date(begins + width) };
}

async function spend(ctx: Ctx, budget: Budget, used: Used): Promise<void> {
  const due = kinds.flatMap((kind) =>
    periods.flatMap((period) => {
      const name: Limit = `${kind}_per_${period}`;
      const [limit, n] = [budget[name], used[kind] ?? 0];
      return limit == null || n === 0 ? [] : [{ name, limit, n, ...windowOf(period, ctx.now) }];
    }),
  );
  if (due.length === 0) return;
  // In one order, so that two calls cannot wait for each other.
  due.sort((a, b) => (a.name < b.name ? -1 : 1));
  const rows = await read(ctx, {
    name: "budget.spend",
    text: `insert into budget_use (organization_id, holder_id, name, begins, used)
           select $1, $2, u.name, u.begins, u.n from unnest($3::text[], $4::timestamptz[], $5::bigint[]) u(name, begins, n) order by u.name
           on conflict (organization_id, holder_id, name) do update set begins = greatest(budget_use.begins, excluded.begins),
             used = greatest(0, excluded.used + case when budget_use.begins < excluded.begins then 0 else budget_use.used end)
           returning name, used`,
    values: [
      ctx.organization_id,
      budget.holder_id,
      due.map(({ name }) => name),
      due.map(({ begins }) => begins),
      due.map(({ n }) => n),
    ],
  });
  const sums = new Map(rows.map(([name, sum]) => [name, Number(sum)]));
  const over = due.find(({ name, limit, n }) => n > 0 && sums.get(name)! > limit);
  if (over !== undefined) throw usedUp(ctx, over.name, over.limit, over.ends);
}

function usedUp(ctx: Ctx, name: Limit, limit: number, ends: Date): Problem {
  const words = name.replaceAll("_", " ");
  const who = ctx.actor.oauth === undefined ? "key" : "connection";
  const seconds = Math.max(1, Math.ceil((ends.getTime() - ctx.now.getTime()) / 1000));
  return new Problem(
    429,
    `The budget of this ${who} is used up: ${limit} ${words}, until ${ends.toISOString()}. An admin can raise it.`,
    { [name]: `would be more than ${limit}` },
    { "retry-after": String(seconds) },
  );
}
