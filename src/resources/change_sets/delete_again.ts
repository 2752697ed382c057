// Deletes a record that was created, unless others work with it by now.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { kindOf, type Resource } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { checkOwner, findRecords } from "../../records/records.ts";
import type { Past } from "./past.ts";
import { checkRight } from "./rights.ts";

/** False where it is gone already, perhaps with what it belonged to. */
export async function deleteAgain(ctx: Ctx, { of, object_id, events }: Past, asked: ReadonlySet<string>): Promise<boolean> {
  const [row] = await findRecords(ctx, of, [sql`t.id = ${object_id}`], sql`for update of t`);
  if (row === undefined) return false;
  const kind = kindOf(of, row);
  checkRight(ctx, kind, "delete");
  if (hasLeft(kind, row as object)) throw invalid({}, "was sent, and cannot be taken back");
  if (await isUsedBy(ctx, object_id, events[0]!.id, asked)) throw invalid({}, "somebody has worked with it since");

  checkOwner(ctx, kind, row, "delete");
  await ctx.registry.verb(kind, "delete")(ctx, row);
  return true;
}

const sent = new Set(["activity_email", "activity_sms", "activity_channel_message", "message"]);
const waiting = new Set(["draft", "outbox", "scheduled", "error"]);

/** A message that a customer may have. */
const hasLeft = (kind: Resource, { direction, status }: { direction?: string; status?: string }): boolean =>
  sent.has(kind.name) && direction?.startsWith("out") === true && !waiting.has(status!);

/** Whether a member has changed it, or something that belongs to it, in another request. What follows by itself does not count. */
async function isUsedBy(ctx: Ctx, id: string, since: string, asked: ReadonlySet<string>): Promise<boolean> {
  const known = [...asked, ctx.request.id];
  const rows = await query(
    ctx,
    statement(
      sql`select 1 from event e where e.organization_id = ${ctx.organization_id} and (e.object_id = ${id} or e.lead_id = ${id})
        and e.id > ${since} and e.user_id is not null and e.request_id <> all(${known}) and e.meta->>'automation_run_id' is null
        and (e.meta->>'request_method' <> '' or e.meta->>'bulk_action_id' is not null or e.meta->>'import_id' is not null) limit 1`,
    ),
  );
  return rows.length > 0;
}
