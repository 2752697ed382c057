// Smart fields that are computed from a lead's deals.
import type { Ctx } from "../core/context.ts";
import { join, name, raw, type Sql, sql } from "../db/sql.ts";
import { currencyDigits, currencySymbol, formatMoney } from "../values/money.ts";
import {
  aggregate,
  always,
  count,
  everything,
  first,
  type Kind,
  rowsOf,
  type SmartField,
  type SmartFields,
} from "./smart_field.ts";

const statusTypes = ["active", "won", "lost"] as const;
const periods = ["one_time", "monthly", "annual"] as const;

/** The deals whose status has this type. The statuses are in the directory, so no join is needed. */
const dealsOf = (type: string | null) => (ctx: Ctx) => {
  if (type === null) return everything;
  const ids = ctx.directory.all("opportunity_status").flatMap((status) => (status.type === type ? [status.id as string] : []));
  return sql`r.status_id = any(${ids}::text[])`;
};

/** Names of figures, in words. */
const figures: Readonly<Record<string, string>> = { total: "total", avg: "average", min: "smallest", max: "largest" };

/** Amounts in other currencies than the organization's do not count. */
function dealValue(how: string, period: string, type: string | null): SmartField {
  const amount = period === "annualized" ? raw("r.annualized_value") : due(period);
  const figure = (where: Sql) =>
    ({
      total: sql`coalesce(sum(${amount}) filter (where ${where}), 0)`,
      avg: sql`round(avg(${amount}) filter (where ${where}))`,
      min: sql`min(${amount}) filter (where ${where})`,
      max: sql`max(${amount}) filter (where ${where})`,
    })[how]!;
  return {
    kind: "number",
    doc: `The ${figures[how]} of the ${period.replace("_", "-")} values of ${type ?? "all"} deals in the organization's currency, in minor units.`,
    ...aggregate(
      "opportunity",
      (_ctx, where) => figure(where),
      (ctx) => {
        const { currency } = ctx.directory.find("organization", ctx.organization_id)!;
        return sql`r.value_currency = ${currency} and ${dealsOf(type)(ctx)}`;
      },
    ),
  };
}

/** The part of a deal's value that is due in a period. */
const due = (period: string): Sql => sql`value_due(${raw(`'${period}'`)}, r.value, r.value_period, r.line_items_by_period)`;

const dealCount = (doc: string, where: (ctx: Ctx) => Sql): SmartField => ({
  kind: "number",
  doc: `How many ${doc} there are.`,
  ...count("opportunity", where),
});

export const dealFields: SmartFields = {
  num_opportunities: dealCount("deals", dealsOf(null)),
  ...Object.fromEntries(statusTypes.map((type) => [`num_${type}_opportunities`, dealCount(`${type} deals`, dealsOf(type))])),
  ...Object.fromEntries(
    periods.map((period) => [
      `num_${period}_opportunities`,
      dealCount(`${period.replace("_", "-")} deals`, always(sql`r.value_period = ${period}`)),
    ]),
  ),
  ...Object.fromEntries(
    [null, ...statusTypes].flatMap((type) =>
      ["total", "avg", "min", "max"].flatMap((how) =>
        [...periods, "annualized"].map((period) => [
          `${how}_${period}_${type === null ? "" : `${type}_`}opportunity_value`,
          dealValue(how, period, type),
        ]),
      ),
    ),
  ),
  ...Object.fromEntries(statusTypes.map((type) => [`${type}_opportunity_value_summary`, valueSummary(type)])),
};

/** `$12,000.00 annual, $500.00 monthly`: the value of the deals of a type, by period and currency. */
function valueSummary(type: string): SmartField {
  return {
    kind: "text",
    doc: `What the ${type} deals are worth, in words.`,
    value: (
      record,
      ctx,
    ) => sql`(select string_agg(${money(raw("s.value"), raw("s.currency"))} || ' ' || replace(s.period, '_', '-'), ', ' order by s.value desc, s.currency, s.period) from (
      select sum(part.due) as value, part.currency, part.period from (
        select r.value_currency as currency, unnest(${[...periods]}::text[]) as period, unnest(array[${join(periods.map(due), ", ")}]) as due
        from ${rowsOf(ctx, "opportunity", record, dealsOf(type)(ctx))}) part
      where part.due is not null group by 2, 3) s)`,
  };
}

/** The most important deal of a lead: an active one before a won, a won before a lost, and the newest of those. */
function primaryDeal(kind: Kind, column: Sql | ((ctx: Ctx) => Sql), doc: string, refersTo?: string): SmartField {
  const rank = (ctx: Ctx) => sql`case when ${dealsOf("active")(ctx)} then 0 when ${dealsOf("won")(ctx)} then 1 else 2 end`;
  return {
    kind,
    refersTo,
    doc: `The deal that says most (the newest active one, else won, else lost): ${doc}`,
    ...first(
      "primary deal",
      "opportunity",
      typeof column === "function" ? column : always(column),
      (ctx) => sql`${rank(ctx)}, r.date_created desc, r.id desc`,
      always(everything),
    ),
  };
}

const ofStatus = (column: string) => (ctx: Ctx) =>
  sql`(select s.${name(column)} from opportunity_status s where s.organization_id = ${ctx.organization_id} and s.id = r.status_id)`;
const pipelineName = (ctx: Ctx) =>
  sql`(select p.name from opportunity_status s join pipeline p on p.organization_id = s.organization_id and p.id = s.pipeline_id
    where s.organization_id = ${ctx.organization_id} and s.id = r.status_id)`;
const memberName = (ctx: Ctx) =>
  sql`(select m.name from member m where m.organization_id = ${ctx.organization_id} and m.id = r.user_id)`;

export const primaryDealFields: SmartFields = {
  primary_opportunity_id: primaryDeal("text", raw("r.id"), "its id.", "opportunity"),
  primary_opportunity_status_id: primaryDeal("text", raw("r.status_id"), "the id of its status.", "opportunity_status"),
  primary_opportunity_status_label: primaryDeal("text", ofStatus("label"), "its status."),
  primary_opportunity_status_type: primaryDeal("text", ofStatus("type"), "`active`, `won` or `lost`."),
  primary_opportunity_pipeline_name: primaryDeal("text", pipelineName, "the name of its pipeline."),
  primary_opportunity_value: primaryDeal("number", raw("r.value"), "its value, in minor units."),
  primary_opportunity_value_formatted: primaryDeal(
    "text",
    money(raw("r.value"), raw("r.value_currency")),
    "its value, such as `$12,000.00`.",
  ),
  primary_opportunity_value_period: primaryDeal("text", raw("r.value_period"), "how often its value is due."),
  primary_opportunity_confidence: primaryDeal("number", raw("r.confidence"), "its confidence, in percent."),
  primary_opportunity_date_won: primaryDeal("date", raw("r.date_won"), "when it was won."),
  primary_opportunity_user_id: primaryDeal("text", raw("r.user_id"), "the id of its owner.", "user"),
  primary_opportunity_user_name: primaryDeal("text", memberName, "the name of its owner."),
  primary_opportunity_note: primaryDeal("text", raw("r.note"), "its note."),
  primary_opportunity_date_created: primaryDeal("timestamp", raw("r.date_created"), "when it was created."),
};

/** An amount as `formatMoney` writes it. Most currencies are written alike; the exceptions are listed. */
function money(amount: Sql, currency: Sql): Sql {
  const odd = Intl.supportedValuesOf("currency").filter((code) => currencySymbol(code) !== code || currencyDigits(code) !== 2);
  const written = (prefix: string, digits: number) =>
    sql`${prefix}::text || to_char(${amount} / ${10 ** digits}::numeric, ${`FM999,999,999,999,999,990${digits === 0 ? "" : `.${"0".repeat(digits)}`}`})`;
  const cases = odd.map(
    (code) => sql`when ${code} then ${written(formatMoney(0, code)!.replace(/[\d.]+$/, ""), currencyDigits(code))}`,
  );
  return sql`case ${currency} ${join(cases, " ")} else ${currency} || ${"\u00a0"}::text || ${written("", 2)} end`;
}
