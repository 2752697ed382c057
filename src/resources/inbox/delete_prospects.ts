import type { Ctx } from "../../core/context.ts";
import type { Sql } from "../../db/sql.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { inboxProspect } from "./inbox_prospect.ts";

/** Deletes prospects with their messages and files, at most so many. Returns their ids. */
export async function deleteProspects(ctx: Ctx, which: Sql, most: number): Promise<string[]> {
  const found = await lockWhere(ctx, inboxProspect, which, most);
  await store.remove(ctx, inboxProspect, found);
  return found.map(({ id }) => id);
}
