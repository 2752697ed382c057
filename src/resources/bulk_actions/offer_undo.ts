// A bulk action whose undo has left something may be undone once more.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { bulkAction } from "./bulk_action.ts";

/** What a canceled undo has not undone may be undone by another one, and so may what failed or its author did not see. */
export async function offerUndoAgain(ctx: Ctx, { undoes }: Row<typeof bulkAction> & { undoes?: string }): Promise<void> {
  if (undoes == null) return;
  const [undone] = await findRecords(ctx, bulkAction, [sql`t.id = ${undoes}`], sql`for update of t`);
  if (undone !== undefined) store.update(ctx, bulkAction, undone, { undo_action_id: null });
}
