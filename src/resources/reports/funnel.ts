// `POST /report/funnel/`: where the deals stand, and which were won and lost in a range of time.
import { z } from "zod";
import { raw, type Sql, sql } from "../../db/sql.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { statusTypes } from "../opportunities/opportunity_status.ts";
import { daysWithin, within } from "./range.ts";
import { ask, pipelineInput, pipelinesOf, report, statusIds, total } from "./report.ts";

const standing = { count: z.int(), value: z.int(), annualized_value: z.int(), expected_value: z.int() };
const status = z.strictObject({
  status_id: z.string(),
  label: z.string(),
  type: z.enum(statusTypes),
  ...standing,
  average_confidence: z.number().nullable(),
});
const totals = z.strictObject({ ...standing, count_other_currencies: z.int().describe("How many of them are in no sum.") });
const outcome = z.strictObject({ count: z.int(), value: z.int(), annualized_value: z.int() });
const pipelineId = { pipeline_id: z.string(), pipeline_name: z.string() };

export const funnelReport = report({
  path: "funnel",
  doc: "Sums the deals of each status as they stand now, and those that were won and lost in a range of time.",
  input: pipelineInput,
  output: {
    currency: z.string(),
    pipelines: z.array(
      z.strictObject({ ...pipelineId, statuses: z.array(status), totals, won_in_period: outcome, lost_in_period: outcome }),
    ),
    totals,
    won_in_period: outcome,
    lost_in_period: outcome,
    data: z.array(z.strictObject({ ...pipelineId, ...status.shape })),
  },
  tables: { data: ({ data }) => data },
  async run(ctx, { pipeline_id }, { records, range, currency }) {
    const pipelines = pipelinesOf(ctx, pipeline_id);
    const money = (amount: string, where: Sql = raw("true")) =>
      sql`${total(raw(amount), sql`t.value_currency = ${currency} and ${where}`)} as ${raw(amount.replace("t.", ""))}`;
    const won = daysWithin(range, raw("t.date_won"));
    const lost = sql`t.date_lost is not null and ${within(range, raw("t.date_lost"))}`;
    const outcome = (type: "won" | "lost", where: Sql) => sql`count(*) filter (where ${where}) as ${raw(`${type}_count`)},
      ${total(raw("t.value"), sql`t.value_currency = ${currency} and ${where}`)} as ${raw(`${type}_value`)},
      ${total(raw("t.annualized_value"), sql`t.value_currency = ${currency} and ${where}`)} as ${raw(`${type}_annualized_value`)}`;
    const summed = (type: "won" | "lost", column: string) =>
      sql`${total(raw(`t.${type}_${column}`), sql`s.type = ${type}`)} as ${raw(`${type}_${column}`)}`;
    const statuses = pipelines.flatMap((one) => one.statuses);

    const { found } = await ask(
      ctx,
      {
        // One row for each status, for each pipeline, and for all of them.
        found: sql`
          select s.pipeline_id, t.status_id, grouping(t.status_id) as of_pipeline, grouping(s.pipeline_id) as of_all,
            sum(t.count) as count, sum(t.value) as value, sum(t.annualized_value) as annualized_value,
            sum(t.expected_value) as expected_value, round(sum(t.confidence) / sum(t.count), 2) as average_confidence,
            sum(t.count_other_currencies) as count_other_currencies, ${summed("won", "count")}, ${summed("won", "value")},
            ${summed("won", "annualized_value")}, ${summed("lost", "count")}, ${summed("lost", "value")}, ${summed("lost", "annualized_value")}
          from standing t
          join unnest(${statuses.map(({ id }) => id)}::text[], ${statuses.map((one) => one.pipeline_id)}::text[],
                      ${statuses.map(({ type }) => type)}::text[]) s(id, pipeline_id, type) on s.id = t.status_id
          group by grouping sets ((s.pipeline_id, t.status_id), (s.pipeline_id), ())`,
      },
      // A row of `standing` is a status with its deals, and those with a day in the range on which they were won or lost.
      sql`
        with standing as (
          select t.status_id, count(*), ${money("t.value")}, ${money("t.annualized_value")}, ${money("t.expected_value")},
            sum(t.confidence) as confidence, count(*) filter (where t.value_currency <> ${currency}) as count_other_currencies,
            ${outcome("won", won)}, ${outcome("lost", lost)}
          from opportunity t
          where ${records(opportunity, "t", "user_id")} and t.status_id = any(${statusIds(pipelines)}) group by 1
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
      data: shown.flatMap(({ pipeline_id, pipeline_name, statuses }) =>
        statuses.map((one) => ({ pipeline_id, pipeline_name, ...one })),
      ),
    };
  },
});

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
