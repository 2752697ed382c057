// `POST /bulk_action/{id}/undo/`: another bulk action that undoes this one.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { invalid, notAllowed } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { sql } from "../../db/sql.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { checkOwner, lockRecord, showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { begin } from "./begin.ts";
import { bulkAction } from "./bulk_action.ts";
import { undoOf } from "./common.ts";
import type { BulkAction } from "./doing.ts";
import { doings } from "./kinds.ts";
import { bulkUndo } from "./undo.ts";

export const undoBulkAction = operation({
  name: "bulk_action.undo",
  method: "POST",
  path: "/bulk_action/{id}/undo/",
  doc: "Undoes an edit or a deletion, for 30 days: what nobody has changed since is as it was before, and the items say what is not.",
  permission: "member",
  group: "bulk",
  scope: "write_destructive",
  status: 201,
  input: { id: z.string() },
  get output() {
    return outputSchema(bulkUndo);
  },
  async run(ctx, { id }) {
    const undone: BulkAction = await lockRecord(ctx, bulkAction, id);
    checkOwner(ctx, bulkAction, undone, "update");
    checkUndoable(ctx, undone);

    const { object_type = null, bulk_object_type = null, type = null } = undone;
    const row = await begin(
      ctx,
      bulkUndo,
      { undoes: id, object_type, bulk_object_type, type },
      sql`select i.object_id as id, i.lead_id, row_number() over (order by i.ord) as ord from bulk_action_item i
        where i.organization_id = ${ctx.organization_id} and i.bulk_action_id = ${id} and i.status = 'succeeded' and i.kept is not null`,
    );
    store.update(ctx, bulkAction, undone, { undo_action_id: row.id });
    ctx.reply.headers.location = `/api/v1/bulk_action/${row.id}/`;
    return showWritten(ctx, bulkUndo, row as any);
  },
});

function checkUndoable(ctx: Ctx, undone: BulkAction): void {
  const { kind, status, date_completed, undo_action_id } = undone;
  if (kind !== "edit" && kind !== "delete") throw invalid({ kind: `is ${kind}: only edits and deletions can be undone` });
  const { permission } = doings[kind];
  if (permission !== "member" && !may(ctx, permission)) throw notAllowed(permission);
  if (undo_action_id !== null) throw invalid({ undo: `was asked for already: ${undo_action_id}` });
  const { until } = undoOf(null, kind, status, date_completed, undo_action_id, ctx);
  if (until === null) throw invalid({ status: `is ${status}: pause is not enough, cancel it or wait until it is done` });
  if (until <= ctx.now.toISOString()) throw invalid({ undo: `was possible until ${until}` });
}
