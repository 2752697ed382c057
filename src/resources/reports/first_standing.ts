// Since when a deal has its first status. A deal that was created as won or lost has it from the day it was won or lost, because
// it was imported or its date was given; so every report dates it the same. Any other deal has it since it was created.
import type { Ctx } from "../../core/context.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import type { StatusType } from "../opportunities/opportunity_status.ts";
import { instantOfDay, type Range } from "./range.ts";
import { type DealPipeline, statusIds } from "./report.ts";

/** What is known of the changes of a deal `t` from some moment on. */
interface Known {
  /** That moment; null where all changes are known. */
  from: string | null;
  /** The status it had before the first of them, or has without any. */
  status: Sql;
  /** When that was; null without any. */
  changed: Sql;
}

export function stoodSince(ctx: Ctx, range: Range, pipelines: readonly DealPipeline[], known: Known): Sql {
  const came = (type: StatusType, at: Sql) =>
    sql`when ${known.status} = any(${statusIds(pipelines, type)}) and ${at} is not null and ${beforeAnyChange(ctx, at, known)} then ${at}`;
  return sql`case ${came("won", instantOfDay(range, raw("t.date_won")))} ${came("lost", raw("t.date_lost"))} else t.date_created end`;
}

/** Dates can be corrected, and do not speak of the first status where they lie behind a change. */
function beforeAnyChange(ctx: Ctx, at: Sql, { from, changed }: Known): Sql {
  const beforeKnown = sql`${at} <= coalesce(${changed}, 'infinity')`;
  if (from === null) return beforeKnown;
  return sql`${beforeKnown} and (${at} < ${from}::timestamptz or not exists (
      select from activity c where c.organization_id = ${ctx.organization_id} and c._type = 'OpportunityStatusChange'
        and c.opportunity_id = t.id and c.activity_at < ${from}::timestamptz))`;
}
