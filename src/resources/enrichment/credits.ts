// How many credits of paid providers an organization uses on a day and in a month, of its own time zone. Caps are in its settings:
// `{"enrichment": {"credits_per_day": 100, "credits_per_month": 1000}}`. A credit is taken before the provider is asked, and given back
// if nothing was found.
import { type Ctx, query, write } from "../../core/context.ts";
import { todayIn } from "../../values/time.ts";
import { organizationOf } from "../organization/organization.ts";

export const creditsUsedUp = "The credits for enrichment are used up: settings.enrichment says how many there are";

interface Caps {
  credits_per_day?: number;
  credits_per_month?: number;
}

const capsOf = ({ directory }: Ctx): Caps => (organizationOf(directory).settings.enrichment as Caps | undefined) ?? {};

export const creditDay = ({ directory, now }: Ctx): string => todayIn(now, organizationOf(directory).timezone ?? "UTC");

export async function hasCredit(ctx: Ctx): Promise<boolean> {
  const { credits_per_day = Infinity, credits_per_month = Infinity } = capsOf(ctx);
  if (credits_per_day === Infinity && credits_per_month === Infinity) return true;
  const [row] = await query(ctx, {
    name: "enrichment_day.sums",
    text: `select coalesce(sum(credits) filter (where day = $2::date), 0), coalesce(sum(credits), 0) from enrichment_day
           where organization_id = $1 and day between date_trunc('month', $2::date)::date and $2::date`,
    values: [ctx.organization_id, creditDay(ctx)],
  });
  return Number(row![0]) < credits_per_day && Number(row![1]) < credits_per_month;
}

/** False if none is left. Those who take one at the same time wait for each other. */
export async function takeCredit(ctx: Ctx): Promise<boolean> {
  await query(ctx, {
    name: "enrichment_day.lock",
    text: "select pg_advisory_xact_lock(hashtextextended('enrichment credits ' || $1, 0))",
    values: [ctx.organization_id],
  });
  if (!(await hasCredit(ctx))) return false;
  write(ctx, {
    name: "enrichment_day.take",
    text: `insert into enrichment_day as d (organization_id, day, credits, date_created) values ($1, $2, 1, $3)
           on conflict (organization_id, day) do update set credits = d.credits + 1`,
    values: [ctx.organization_id, creditDay(ctx), ctx.now],
  });
  return true;
}

/** `day` is the one on which it was taken. */
export function giveBackCredit(ctx: Ctx, day: string): void {
  write(ctx, {
    name: "enrichment_day.give_back",
    text: "update enrichment_day set credits = credits - 1 where organization_id = $1 and day = $2 and credits > 0",
    values: [ctx.organization_id, day],
  });
}
