import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { conversation } from "./conversation.ts";

/** Deletes those among these conversations that have no message left. */
export async function deleteEmpty(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const empty = await lockWhere(ctx, conversation, sql`t.id = any(${ids}) and t.message_count = 0`);
  await store.remove(ctx, conversation, empty);
}
