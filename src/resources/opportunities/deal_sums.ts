// Sums the values of deals. Amounts of different currencies are never added: the main figures are in the organization's currency,
// and `by_currency` has those of each.
import { z } from "zod";
import { join, name, raw, type Sql, sql } from "../../db/sql.ts";
import { type Period, periods } from "../shared/money.ts";

/** The part of a deal's value that is due in a period. Deals with lines may have several. */
export const valueDue = (period: Period, alias = "t"): Sql => {
  const t = name(alias);
  return sql`value_due(${raw(`'${period}'`)}, ${t}.value, ${t}.value_period, ${t}.line_items_by_period)`;
};

/** The sums of one currency, by the name of the member. They are computed over the rows of a list's matches. */
const sums: readonly (readonly [string, Sql])[] = [
  ...periods.map((period) => [`total_value_${period}`, sql`sum(${valueDue(period)})`] as const),
  ["total_value_annualized", sql`sum(t.annualized_value)`],
  ...periods.map(
    (period) => [`expected_value_${period}`, sql`sum(round(${valueDue(period)} * t.confidence / 100.0))::bigint`] as const,
  ),
  ["expected_value_annualized", sql`sum(t.annualized_expected_value)`],
];
const counts = ["total_results", ...periods.map((period) => `count_${period}`)];

/** The columns of a match that the sums need. */
export const summed = raw(
  "t.value_currency, t.value_period, t.value, t.line_items_by_period, t.confidence, t.annualized_value, t.annualized_expected_value",
);

/** One row for each key and currency of the matches. */
export const selectWorth = (matching: Sql, key: Sql): Sql => sql`
  select ${key} as key, t.value_currency as currency, count(*) as total_results,
    ${join(
      periods.map((period) => sql`count(*) filter (where t.value_period = ${period}) as ${raw(`count_${period}`)}`),
      ", ",
    )},
    ${join(
      sums.map(([member, sum]) => sql`coalesce(${sum}, 0) as ${raw(member)}`),
      ", ",
    )}
  from ${matching} t group by 1, 2`;

/** The members of a response, one column each, over rows of `selectWorth`. */
export const selectMembers = (currency: string): Sql =>
  sql`${join(
    [
      ...counts.map((member) => sql`coalesce(sum(${raw(member)}), 0)`),
      ...sums.map(([member]) => sql`coalesce(max(${raw(member)}) filter (where currency = ${currency}), 0)`),
    ],
    ", ",
  )}, coalesce(json_object_agg(currency, json_build_object(${join(
    ["total_results", ...sums.map(([member]) => member)].map((member) => raw(`'${member}', ${member}`)),
    ", ",
  )}) order by currency), '{}')`;

export const memberColumns = counts.length + sums.length + 1;

/** The members as JSON text, so that whole numbers of any size are kept. */
export function membersOf(row: readonly (string | null)[], currency: string): Record<string, string> {
  const [results, ...rest] = row;
  const ofPeriods = periods.map((period, i) => `"${period}":${rest[i]}`).join(",");
  const amounts = sums.map(([member], i) => [member, rest[periods.length + i]!]);
  return {
    total_results: results!,
    count_by_value_period: `{${ofPeriods}}`,
    currency: `"${currency}"`,
    ...Object.fromEntries(amounts),
    by_currency: row[memberColumns - 1]!,
  };
}

export const membersShape = {
  total_results: z.int(),
  count_by_value_period: z.object({ one_time: z.int(), monthly: z.int(), annual: z.int() }),
  currency: z.string().describe("The currency of the sums: the organization's."),
  by_currency: z
    .record(z.string(), z.looseObject({ total_results: z.int() }))
    .describe("The sums of the deals of each currency."),
};
