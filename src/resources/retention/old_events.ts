// Deletes events that are older than their organization keeps them, and that everybody has read who has to.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { isOldEvent } from "./what_is_old.ts";

/** The most events of one transaction. */
const most = 1000;

/** Deletes some. Returns whether there may be more. */
export async function deleteOldEvents(ctx: Ctx, before: Date): Promise<boolean> {
  const gone = await transactionOf(ctx).read(
    statement(sql`with old as materialized (
        select t.id from event t where t.organization_id = ${ctx.organization_id} and ${isOldEvent(ctx, before)} order by t.id limit ${most})
      delete from event e using old where e.organization_id = ${ctx.organization_id} and e.id = old.id returning 1`),
  );
  return gone.length === most;
}
