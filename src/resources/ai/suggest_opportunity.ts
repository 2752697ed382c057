// `POST /ai/suggest_opportunity/`: a deal that a lead could become, by what was said and by the deals that were won before.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import { from, scope } from "../../core/resource.ts";
import { and, sql, statement } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { formatMoney } from "../../values/money.ts";
import { activity } from "../activities/activity.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { opportunityStatus } from "../opportunities/opportunity_status.ts";
import { organizationOf } from "../organization/organization.ts";
import { type Period, periods } from "../shared/money.ts";
import { amountsIn } from "./amounts_in.ts";
import { counted } from "./in_words.ts";
import { shownLeads } from "./shown_leads.ts";
import { wordsOf } from "./words_of.ts";

/** Where nothing was won or lost yet, one deal in five is won. */
const usualConfidence = 20;
/** How many of the lead's newest activities are read. */
const recent = 50;

const suggestion = z.strictObject({
  name: z.string(),
  value: z.int().nullable().describe("In minor units of the organization's currency."),
  value_period: z.enum(periods),
  confidence: z.int().min(0).max(100),
  status_id: z.string().nullable(),
  pipeline_id: z.string().nullable(),
  note: z.string(),
  rationale: z.string().describe("Why this value and this confidence."),
});

export const suggestOpportunity = operation({
  name: "ai.suggest_opportunity",
  method: "POST",
  path: "/ai/suggest_opportunity/",
  doc: "Suggests an opportunity for a lead that has no open one: its value is the amount that was named, or the median of the deals won in two years. Nothing is created.",
  permission: "member",
  group: "ai",
  scope: "read",
  pastDue: true,
  transaction: false,
  input: { lead_id: z.string().describe("The lead.") },
  output: z.strictObject({
    suggestions: z.array(suggestion),
    suggestion: suggestion.nullable().describe("The first of them; null where the lead has an open opportunity already."),
  }),
  async run(ctx, { lead_id }) {
    const [found] = await shownLeads(ctx, [lead_id], ["num_active_opportunities"], "lead_id");
    if (Number(found!.values.num_active_opportunities) > 0) return { suggestions: [], suggestion: null };
    const [named, past] = await Promise.all([namedAmount(ctx, lead_id), pastDeals(ctx)]);
    const made = suggestionOf(ctx, String(found!.values.display_name), named, past);
    return { suggestions: [made], suggestion: made };
  },
});

/** The newest amount that was named at the lead. */
async function namedAmount(ctx: Ctx, lead_id: string): Promise<number | null> {
  const rows = await findRecords(
    ctx,
    activity,
    [sql`t.lead_id = ${lead_id}`, sql`t._type in ('Note', 'Call', 'ChannelMessage', 'Email', 'SMS', 'Meeting')`],
    sql`order by t.activity_at desc, t.id desc limit ${recent}`,
  );
  const { currency } = organizationOf(ctx.directory);
  return rows.flatMap((row) => amountsIn(wordsOf(row as Record<string, unknown>), currency))[0] ?? null;
}

interface Past {
  median: number | null;
  period: Period;
  won: number;
  lost: number;
}

/** The deals of two years in the organization's currency, as far as the caller sees them. */
async function pastDeals(ctx: Ctx): Promise<Past> {
  const closedAfter = sql`coalesce(t.date_won::timestamptz, t.date_lost) > ${ctx.now.toISOString()}::timestamptz - interval '2 years'`;
  const [row] = await query(
    ctx,
    statement(sql`select percentile_disc(0.5) within group (order by t.value) filter (where s.type = 'won' and t.value > 0),
        mode() within group (order by t.value_period) filter (where s.type = 'won'),
        count(*) filter (where s.type = 'won'), count(*) filter (where s.type = 'lost')
      from ${from(opportunity, "t")} join opportunity_status s on s.organization_id = t.organization_id and s.id = t.status_id
      where ${and([...scope(ctx, opportunity), closedAfter, sql`s.type <> 'active'`, sql`t.value_currency = ${organizationOf(ctx.directory).currency}`])}`),
  );
  const [median, period, won, lost] = row!;
  return {
    median: median == null ? null : Number(median),
    period: (period as Period | null) ?? "one_time",
    won: Number(won),
    lost: Number(lost),
  };
}

function suggestionOf(
  ctx: Ctx,
  name: string,
  named: number | null,
  { median, period, won, lost }: Past,
): z.output<typeof suggestion> {
  const { currency } = organizationOf(ctx.directory);
  const first = ctx.directory.list(opportunityStatus).find(({ type }) => type === "active");
  const closed = won + lost;
  const value = named ?? median;
  const worth =
    named !== null
      ? `${formatMoney(named, currency)} was named in what was said last.`
      : median === null
        ? "No deal was won in two years, so the value is unknown."
        : `${formatMoney(median, currency)} is the median of ${counted(won, "deal")} won in two years.`;
  const odds =
    closed === 0
      ? "No deal was closed in two years, so the confidence is a guess."
      : `${won} of ${counted(closed, "closed deal")} ${won === 1 ? "was" : "were"} won.`;
  return {
    name,
    value,
    value_period: period,
    confidence: closed === 0 ? usualConfidence : Math.round((won / closed) * 100),
    status_id: first?.id ?? null,
    pipeline_id: first?.pipeline_id ?? null,
    note: value === null ? `Possible deal with ${name}` : `Possible deal with ${name}, about ${formatMoney(value, currency)}`,
    rationale: `${worth} ${odds}`,
  };
}
