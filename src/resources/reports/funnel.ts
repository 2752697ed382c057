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
    const money = (amount: Sql, where: Sql = raw("true")) => total(amount, sql`t.value_currency = ${currency} and ${where}`);
    const won = sql`s.type = 'won' and ${daysWithin(range, raw("t.date_won"))}`;
    const lost = sql`s.type = 'lost' and t.date_lost is not null and ${within(range, raw("t.date_lost"))}`;

    // One row for each status, for each pipeline, and for all of them: its deals, and those won or lost in the range.
    const { found } = await ask(ctx, {
      found: sql`
        select s.pipeline_id, t.status_id, grouping(t.status_id) as of_pipeline, grouping(s.pipeline_id) as of_all,
          count(*), ${money(raw("t.value"))} as value, ${money(raw("t.annualized_value"))} as annualized_value,
          ${money(raw("t.expected_value"))} as expected_value, round(avg(t.confidence), 2) as average_confidence,
          count(*) filter (where t.value_currency <> ${currency}) as count_other_currencies,
          count(*) filter (where ${won}) as won_count, ${money(raw("t.value"), won)} as won_value,
          ${money(raw("t.annualized_value"), won)} as won_annualized_value,
          count(*) filter (where ${lost}) as lost_count, ${money(raw("t.value"), lost)} as lost_value,
          ${money(raw("t.annualized_value"), lost)} as lost_annualized_value
        from opportunity t
        join unnest(${pipelines.flatMap(({ statuses }) => statuses.map(({ id }) => id))}::text[],
                    ${pipelines.flatMap(({ statuses }) => statuses.map((one) => one.pipeline_id))}::text[],
                    ${pipelines.flatMap(({ statuses }) => statuses.map(({ type }) => type))}::text[]) s(id, pipeline_id, type) on s.id = t.status_id
        where ${records(opportunity, "t", "user_id")} and t.status_id = any(${statusIds(pipelines)})
        group by grouping sets ((s.pipeline_id, t.status_id), (s.pipeline_id), ())`,
    });

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
