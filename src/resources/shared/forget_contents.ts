// Deleted records are told of in the log and in the histories of automations. What these say about their contents is removed; their rows
// and ids stay, for whoever follows the log.
import { type Ctx, query, write } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";

/** What was deleted along in this transaction, such as the thread of an e-mail. */
export async function deletedNow(ctx: Ctx): Promise<string[]> {
  const rows = await query(
    ctx,
    statement(sql`select object_id from event where organization_id = ${ctx.organization_id} and date_created = ${ctx.now}
      and request_id = ${ctx.request.id} and action = 'deleted'`),
  );
  return rows.map(([id]) => id!);
}

export function forgetContents(ctx: Ctx, ids: readonly string[]): void {
  const run = (text: string) => write(ctx, { text, values: [ctx.organization_id, ids] });
  run(`update event set data = case when data::text = '{}' then data else ('{"id":"' || object_id || '"}')::json end, previous_data = '{}'
       where organization_id = $1 and object_id = any($2)`);
  run("update automation_event set payload = '{}' where organization_id = $1 and object_id = any($2)");
  run(`update automation_step_run set input = null, output = null, sealed_request = null where organization_id = $1 and run_id in (
         select id from automation_run where organization_id = $1 and (object_id = any($2) or contact_id = any($2)))`);
  run(`update automation_run set input = '{}', output = null, vars = '{}' where organization_id = $1
       and (object_id = any($2) or contact_id = any($2))`);
}
