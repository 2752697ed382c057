// `POST /report/opportunity_funnels/`: how far the deals of a range came, stage by stage.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { statusTypes } from "../opportunities/opportunity_status.ts";
import { type CurrencyTotals, type Followed, followDeals, type Stage, stagesOf, type Totals } from "./deal_stages.ts";
import { datetimeRange, type GivenRange, type Range, readRange, relativeRange, shownRange, showRange } from "./range.ts";
import { type Asked, byCurrency, type DealPipeline, pipelineInput, pipelinesOf, report, userName } from "./report.ts";

const rate = z.number().describe("The share of those that reached the stage: 0 to 1.");
const stage = z.strictObject({
  status: z.strictObject({ id: z.string(), label: z.string(), type: z.enum(statusTypes) }),
  count: z.int().describe("How many deals reached the stage."),
  count_conversion_rate: rate,
  count_lost: z.int().describe("How many were lost at this stage."),
  count_lost_ratio: rate,
  value: z.int(),
  value_conversion_rate: rate,
  value_lost: z.int(),
  value_lost_ratio: rate,
  weighted_value: z.int(),
  weighted_value_conversion_rate: rate,
  average_time_to_advance: z.number().nullable().describe("In seconds, for those that advanced."),
});
const totals = z.strictObject({
  count: z.int(),
  count_total_won: z.int(),
  count_total_complete: z.int().describe("How many deals were won or lost."),
  count_win_rate: z.number(),
  value_total_won: z.int(),
  value_total_complete: z.int(),
  value_win_rate: z.number(),
  average_time_to_win: z.number().nullable().describe("In seconds."),
  average_value_annualized_per_won_opportunity: z.int().nullable(),
  sales_velocity: z.int().nullable().describe("The value won in a day: deals × win rate × value of a won deal ÷ days to win."),
  count_other_currencies: z.int().describe("How many of them are in other currencies, and therefore not in any sum."),
  by_currency: z
    .record(z.string(), z.strictObject({ count: z.int(), value_total_won: z.int(), value_total_complete: z.int() }))
    .describe("The sums of the deals of each currency."),
});
const funnels = z.array(
  z.strictObject({
    pipeline_id: z.string(),
    name: z.string(),
    aggregations: z.strictObject({ stages: z.array(stage) }),
    totals,
    data: z.array(z.strictObject({ user_id: z.string().nullable(), user_name: z.string().nullable(), stages: z.array(stage) })),
  }),
);

const prefixes = ["report_", "cohort_", "compared_"] as const;
const ranges = {
  report_datetime_range: datetimeRange.optional(),
  report_relative_range: relativeRange.optional().describe("The range of the report; the same as `relative_range`."),
  cohort_datetime_range: datetimeRange.optional(),
  cohort_relative_range: relativeRange
    .optional()
    .describe("When the deals were created; for a created cohort by default the range of the report."),
  compared_datetime_range: datetimeRange.optional(),
  compared_relative_range: relativeRange.optional().describe("A second range to compare with."),
};

export const opportunityFunnelsReport = report({
  path: "opportunity_funnels",
  doc: "Follows deals through the stages of their pipelines: how many reached each stage, advanced, and were lost there.",
  input: {
    ...pipelineInput,
    type: z
      .enum(["created-cohort", "active-stage-cohort"])
      .default("created-cohort")
      .describe("Follows the deals created in the range, or counts the stages that any deal reached in it."),
    ...ranges,
  },
  output: {
    currency: z.string(),
    pipelines: funnels,
    compared: z.strictObject({ datetime_range: shownRange, pipelines: funnels }).nullable(),
  },
  tables: { stages: ({ pipelines }) => pipelines.flatMap(lines) },
  async run(ctx, given, asked) {
    const [own, cohort, compared] = prefixes.map((prefix) => readPrefixed(ctx, given, prefix));
    if (own && readRange(ctx, given as GivenRange))
      throw invalid({ relative_range: "cannot be used together with a range of the report" });
    asked.range = own ?? asked.range;
    const pipelines = pipelinesOf(ctx, given.pipeline_id);
    const follow = async (range: Range, saidRange: boolean) => {
      const found = await followDeals(ctx, asked, pipelines, followed(given.type, range, cohort ?? null, saidRange));
      return pipelines.map((one) => funnelOf(ctx, asked, one, found));
    };

    const [shown, other] = await Promise.all([
      follow(asked.range, own !== null && own !== undefined),
      compared ? follow(compared, true) : null,
    ]);
    return {
      currency: asked.currency,
      pipelines: shown,
      compared: other && { datetime_range: showRange(compared!), pipelines: other },
    };
  },
});

function readPrefixed(ctx: Ctx, given: Record<string, unknown>, prefix: (typeof prefixes)[number]): Range | null {
  const range = { datetime_range: given[`${prefix}datetime_range`], relative_range: given[`${prefix}relative_range`] };
  return readRange(ctx, range as GivenRange, prefix);
}

/** A cohort is followed to the present, unless the request gives both the range of creation and the range to look at. */
function followed(type: string, range: Range, cohort: Range | null, saidRange: boolean): Followed {
  if (type === "active-stage-cohort") return { created: cohort, reached: range };
  return { created: cohort ?? range, reached: cohort !== null && saidRange ? range : null };
}

// --- rows ---

type Found = Awaited<ReturnType<typeof followDeals>>;

function funnelOf(ctx: Ctx, { users }: Asked, pipeline: DealPipeline, { stages, totals, currencies }: Found) {
  const own = stages.filter((one) => one.pipeline_id === pipeline.id);
  const members = [...new Set(own.filter((one) => !one.of_pipeline).map(({ user_id }) => user_id))];
  const asked = users === null ? [] : [...users].filter((id) => !members.includes(id));
  return {
    pipeline_id: pipeline.id,
    name: pipeline.name,
    aggregations: {
      stages: stagesShown(
        pipeline,
        own.filter((one) => one.of_pipeline),
      ),
    },
    totals: totalsShown(
      totals.find((one) => one.pipeline_id === pipeline.id),
      currencies.filter((one) => one.pipeline_id === pipeline.id),
    ),
    data: [...members, ...asked].map((user_id) => ({
      user_id,
      user_name: userName(ctx, user_id),
      stages: stagesShown(
        pipeline,
        own.filter((one) => !one.of_pipeline && one.user_id === user_id),
      ),
    })),
  };
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

const stagesShown = (pipeline: DealPipeline, found: readonly Stage[]) =>
  stagesOf(pipeline).map(({ id, label, type }, place) => {
    const row = found.find((one) => one.place === place);
    const { count = 0, advanced = 0, count_lost = 0, value = 0, value_lost = 0, weighted_value = 0 } = row ?? {};
    return {
      status: { id, label, type },
      count,
      count_conversion_rate: ratio(advanced, count),
      count_lost,
      count_lost_ratio: ratio(count_lost, count),
      value,
      value_conversion_rate: ratio(row?.value_advanced ?? 0, value),
      value_lost,
      value_lost_ratio: ratio(value_lost, value),
      weighted_value,
      weighted_value_conversion_rate: ratio(row?.weighted_value_advanced ?? 0, weighted_value),
      average_time_to_advance: row?.average_time_to_advance ?? null,
    };
  });

function totalsShown(row: Totals | undefined, currencies: readonly CurrencyTotals[]) {
  const { count = 0, count_total_won = 0, count_total_complete = 0, value_total_won = 0, value_total_complete = 0 } = row ?? {};
  const days = (row?.average_time_to_win ?? 0) / 86_400;
  const winRate = ratio(count_total_won, count_total_complete);
  const velocity = days > 0 ? (count * winRate * (row?.average_value_won ?? 0)) / days : null;
  return {
    count,
    count_total_won,
    count_total_complete,
    count_win_rate: winRate,
    value_total_won,
    value_total_complete,
    value_win_rate: ratio(value_total_won, value_total_complete),
    average_time_to_win: row?.average_time_to_win ?? null,
    average_value_annualized_per_won_opportunity: row?.average_value_annualized_per_won_opportunity ?? null,
    sales_velocity: velocity !== null && Number.isSafeInteger(Math.round(velocity)) ? Math.round(velocity) : null,
    count_other_currencies: row?.count_other_currencies ?? 0,
    by_currency: byCurrency(currencies, ({ pipeline_id: _pipeline, currency: _currency, ...worth }) => worth),
  };
}

const lines = ({ pipeline_id, name, aggregations }: { pipeline_id: string; name: string; aggregations: { stages: any[] } }) =>
  aggregations.stages.map(({ status, ...numbers }) => ({
    pipeline_id,
    pipeline_name: name,
    status_id: status.id,
    status_label: status.label,
    ...numbers,
  }));
