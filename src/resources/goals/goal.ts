// A goal: the revenue that a member or the organization should win in a period.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { date, formed, input, integer, json, label, ref, related } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { and, name, type Sql, sql } from "../../db/sql.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { opportunityStatus } from "../opportunities/opportunity_status.ts";
import { currency, currencyOfOrganization, moneyMax } from "../shared/money.ts";
import { parsePeriod, spanOf } from "./period.ts";

const amount = () => z.int().min(0).max(moneyMax);

export const goal = resource({
  name: "goal",
  prefix: "goal",
  doc: "The revenue to win in a month, a quarter or a year, by one member or by all together.",
  sort: { period: true },
  fields: {
    period: formed(parsePeriod, "must be a month, a quarter or a year: 2026-01, 2026-Q1 or 2026", {
      required: true,
      createOnly: true,
      doc: "`2026-01`, `2026-Q1` or `2026`.",
    }),
    user_id: ref(
      "user",
      { onDelete: "keep", onMove: "clear" },
      { createOnly: true, doc: "Whose goal it is; null for the whole organization." },
    ),
    user_name: label("user_id", "user", "name"),
    target: integer({ filled: true, min: 0, max: moneyMax, doc: "Revenue to win, in minor units." }),
    amount: input(amount(), { doc: "The same as `target`." }),
    target_value: input(amount(), { doc: "The same as `target`." }),
    targets: json(z.record(z.string().min(1).max(100), z.number().min(0)), {
      doc: "Further targets, by the key of a metric of the activity report.",
    }),
    currency: currency({ default: currencyOfOrganization, doc: "By default the organization's. Only deals in it count." }),
    actual: related(z.int(), won, "The total value of the deals won in the period.", { always: true }),
    progress: related(z.number(), progress, "The share of the target, from 0 to 1.", { always: true }),
    period_start: date({ filled: true, derive: (row: { period: string }) => spanOf(row.period).start, doc: "The first day." }),
    period_end: date({ filled: true, derive: (row: { period: string }) => spanOf(row.period).end, doc: "The last day." }),
  },
});

/** Deals that the caller cannot see do not count. */
function won(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  const statuses = ctx.directory.list(opportunityStatus).flatMap((status) => (status.type === "won" ? [status.id] : []));
  const visible = visibleAsLead(ctx, "o");
  const conditions = [
    sql`o.organization_id = ${ctx.organization_id}`,
    sql`o.status_id = any(${statuses}::text[])`,
    sql`o.date_won between ${t}.period_start and ${t}.period_end`,
    sql`o.value_currency = ${t}.currency`,
    sql`(${t}.user_id is null or o.user_id = ${t}.user_id)`,
    ...(visible ? [visible] : []),
  ];
  return sql`(select coalesce(sum(o.value), 0)::bigint from opportunity o where ${and(conditions)})`;
}

function progress(alias: string, ctx: Ctx): Sql {
  const target = sql`${name(alias)}.target`;
  return sql`(case when ${target} = 0 then 1 else least(1, round(${won(alias, ctx)}::numeric / ${target}, 4)) end)`;
}
