// When a deal got its first status. A deal created as won or lost has that status since the date it was won or lost, because it
// was imported or its date was set. Any other deal has its first status since it was created. All reports use this date.
import type { Ctx } from "../../core/context.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import type { StatusType } from "../opportunities/opportunity_status.ts";
import { instantOfDay, type Range } from "./range.ts";
import { type DealPipeline, statusIds } from "./report.ts";

/** What the changes of a deal `t` since some moment show. */
interface Known {
  /** That moment. Null when all changes are known. */
  from: string | null;
  /** The status before the first of these changes, or the present one when there is none. */
  status: Sql;
  /** The time of the first change. Null when there is none. */
  changed: Sql;
}

export function stoodSince(ctx: Ctx, range: Range, pipelines: readonly DealPipeline[], known: Known): Sql {
  const came = (type: StatusType, at: Sql) =>
    sql`when ${known.status} = any(${statusIds(pipelines, type)}) and ${at} is not null and ${beforeAnyChange(ctx, at, known)} then ${at}`;
  return sql`case ${came("won", instantOfDay(range, raw("t.date_won")))} ${came("lost", raw("t.date_lost"))} else t.date_created end`;
}

/** A date after a change was corrected later, and does not belong to the first status. */
function beforeAnyChange(ctx: Ctx, at: Sql, { from, changed }: Known): Sql {
  const beforeKnown = sql`${at} <= coalesce(${changed}, 'infinity')`;
  if (from === null) return beforeKnown;
  return sql`${beforeKnown} and (${at} < ${from}::timestamptz or not exists (
      select from activity c where c.organization_id = ${ctx.organization_id} and c._type = 'OpportunityStatusChange'
        and c.opportunity_id = t.id and c.activity_at < ${from}::timestamptz))`;
}
