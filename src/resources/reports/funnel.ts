// `POST /report/funnel/`: the present statuses of deals, and which deals were won and lost in a range of time.
import { z } from "zod";
import { join, raw, type Sql, sql } from "../../db/sql.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { statusTypes } from "../opportunities/opportunity_status.ts";
import { daysWithin, within } from "./range.ts";
import { ask, byCurrency, pipelineInput, pipelinesOf, report, statusIds, total } from "./report.ts";

const standing = { count: z.int(), value: z.int(), annualized_value: z.int(), expected_value: z.int() };
const status = z.strictObject({
  status_id: z.string(),
  label: z.string(),
  type: z.enum(statusTypes),
  ...standing,
  average_confidence: z.number().nullable(),
});
const totals = z.strictObject({
  ...standing,
  count_other_currencies: z.int().describe("How many of them are in other currencies, and therefore not in any sum."),
});
const outcome = z.strictObject({ count: z.int(), value: z.int(), annualized_value: z.int() });
const pipelineId = { pipeline_id: z.string(), pipeline_name: z.string() };

export const funnelReport = report({
  path: "funnel",
  doc: "Sums the present deals of each status, and those that were won and lost in a range of time.",
  input: pipelineInput,
  output: {
    currency: z.string(),
    pipelines: z.array(
      z.strictObject({ ...pipelineId, statuses: z.array(status), totals, won_in_period: outcome, lost_in_period: outcome }),
    ),
    totals,
    won_in_period: outcome,
    lost_in_period: outcome,
    by_currency: z
      .record(z.string(), z.strictObject({ ...standing, won_in_period: outcome, lost_in_period: outcome }))
      .describe("The same for the deals in each currency."),
    data: z.array(z.strictObject({ ...pipelineId, ...status.shape })),
  },
  tables: { data: ({ data }) => data },
  async run(ctx, { pipeline_id }, { records, range, currency }) {
    const pipelines = pipelinesOf(ctx, pipeline_id);
    const won = daysWithin(range, raw("t.date_won"));
    const lost = sql`t.date_lost is not null and ${within(range, raw("t.date_lost"))}`;
    const outcome = (type: "won" | "lost", where: Sql) => sql`count(*) filter (where ${where}) as ${raw(`${type}_count`)},
      ${total(raw("t.value"), where)} as ${raw(`${type}_value`)}, ${total(raw("t.annualized_value"), where)} as ${raw(`${type}_annualized_value`)}`;
    const statuses = pipelines.flatMap((one) => one.statuses);

    const { found, currencies } = await ask(
      ctx,
      {
        // One row for each status, for each pipeline, and for all of them.
        found: sql`
          select t.pipeline_id, t.status_id, grouping(t.status_id) as of_pipeline, grouping(t.pipeline_id) as of_all,
            ${counts}, ${amounts(sql`t.currency = ${currency}`)}, round(sum(t.confidence) / nullif(sum(t.n_confidence), 0), 2) as average_confidence,
            ${total(raw("t.count"), sql`t.currency <> ${currency}`)} as count_other_currencies
          from standing t group by grouping sets ((t.pipeline_id, t.status_id), (t.pipeline_id), ())`,
        currencies: sql`select t.currency, ${counts}, ${amounts(raw("true"))} from standing t group by 1 order by 1`,
      },
      // A row of `standing` is a status with its deals in a currency, and those won or lost on a day in the range.
      sql`
        with standing as (
          select s.pipeline_id, s.type, t.status_id, t.value_currency as currency, count(*), sum(t.value) as value,
            sum(t.annualized_value) as annualized_value, sum(t.expected_value) as expected_value,
            sum(t.confidence) as confidence, count(t.confidence) as n_confidence, ${outcome("won", won)}, ${outcome("lost", lost)}
          from opportunity t
          join unnest(${statuses.map(({ id }) => id)}::text[], ${statuses.map((one) => one.pipeline_id)}::text[],
                      ${statuses.map(({ type }) => type)}::text[]) s(id, pipeline_id, type) on s.id = t.status_id
          where ${records(opportunity, "t", "user_id")} and t.status_id = any(${statusIds(pipelines)}) group by 1, 2, 3, 4
        )`,
    );

    const ofAll = found.find((row) => row.of_all === 1);
    const shown = pipelines.map(({ id, name, statuses }) => {
      const ofPipeline = found.find((row) => row.pipeline_id === id && row.of_pipeline === 1);
      return {
        pipeline_id: id,
        pipeline_name: name,
        statuses: statuses.map(({ id, label, type }) => {
          const row = found.find((one) => one.status_id === id);
          return { status_id: id, label, type, ...standingOf(row), average_confidence: row?.average_confidence ?? null };
        }),
        totals: totalsOf(ofPipeline),
        ...outcomesOf(ofPipeline),
      };
    });
    return {
      currency,
      pipelines: shown,
      totals: totalsOf(ofAll),
      ...outcomesOf(ofAll),
      by_currency: byCurrency(currencies, (row) => ({ ...standingOf(row), ...outcomesOf(row) })),
      data: shown.flatMap(({ pipeline_id, pipeline_name, statuses }) =>
        statuses.map((one) => ({ pipeline_id, pipeline_name, ...one })),
      ),
    };
  },
});

const outcomes = ["won", "lost"] as const;
const counts = join([
  raw("sum(t.count) as count"),
  ...outcomes.map((type) => sql`${total(raw(`t.${type}_count`), raw(`t.type = '${type}'`))} as ${raw(`${type}_count`)}`),
]);

/** Amounts are summed when all of them are in one currency. */
const amounts = (where: Sql): Sql =>
  join([
    ...["value", "annualized_value", "expected_value"].map((one) => sql`${total(raw(`t.${one}`), where)} as ${raw(one)}`),
    ...outcomes.flatMap((type) =>
      ["value", "annualized_value"].map(
        (one) => sql`${total(raw(`t.${type}_${one}`), sql`t.type = ${type} and ${where}`)} as ${raw(`${type}_${one}`)}`,
      ),
    ),
  ]);

const standingOf = (row: any) => ({
  count: row?.count ?? 0,
  value: row?.value ?? 0,
  annualized_value: row?.annualized_value ?? 0,
  expected_value: row?.expected_value ?? 0,
});

const totalsOf = (row: any) => ({ ...standingOf(row), count_other_currencies: row?.count_other_currencies ?? 0 });

const outcomesOf = (row: any) => ({
  won_in_period: outcomeOf(row, "won"),
  lost_in_period: outcomeOf(row, "lost"),
});

const outcomeOf = (row: any, type: "won" | "lost") => ({
  count: row?.[`${type}_count`] ?? 0,
  value: row?.[`${type}_value`] ?? 0,
  annualized_value: row?.[`${type}_annualized_value`] ?? 0,
});
