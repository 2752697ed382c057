// `GET /budget/{id}/use/`: how much of a budget is used in the present hour and day.
import { z } from "zod";
import { query } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { kinds, type Limit, periods, windowOf } from "../../records/budgets.ts";
import { getRecord } from "../../records/records.ts";
import { budget } from "./budget.ts";

const shown = z.strictObject({
  name: z.string().describe("The limit, such as `writes_per_hour`."),
  used: z.int(),
  limit: z.int(),
  resets_at: z.iso.datetime(),
});

export const budgetUse = operation({
  name: "budget.use",
  method: "GET",
  path: "/budget/{id}/use/",
  doc: "Returns how much of a budget is used in the present hour and day.",
  permission: "manage_organization",
  mcp: false,
  input: { id: z.string() },
  output: z.strictObject({ data: z.array(shown), has_more: z.literal(false) }),
  async run(ctx, { id }) {
    const found = (await getRecord(ctx, budget, id)) as Row<typeof budget>;
    const rows = await query(
      ctx,
      statement(sql`select name, used from budget_use where organization_id = ${ctx.organization_id} and holder_id = ${found.holder_id}
        and begins = case when name like '%_per_hour' then ${windowOf("hour", ctx.now).begins}::timestamptz else ${windowOf("day", ctx.now).begins}::timestamptz end`),
    );
    const used = new Map(rows.map(([name, n]) => [name, Number(n)]));
    const data = kinds.flatMap((kind) =>
      periods.flatMap((period) => {
        const name: Limit = `${kind}_per_${period}`;
        const limit = found[name];
        const resets_at = windowOf(period, ctx.now).ends.toISOString();
        return limit === null ? [] : [{ name, used: used.get(name) ?? 0, limit, resets_at }];
      }),
    );
    return { data, has_more: false };
  },
});
