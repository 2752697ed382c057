// The list of prospects leaves out those that were converted or dismissed, unless the request asks for them.
import type { Ctx } from "../../core/context.ts";
import type { JsonText } from "../../core/operation.ts";
import { sql } from "../../db/sql.ts";
import { showList } from "../../records/list.ts";
import { readList } from "../../records/list_input.ts";
import { inboxProspect } from "./inbox_prospect.ts";

export async function listProspects(ctx: Ctx, query: Record<string, string>): Promise<JsonText> {
  const saysStatus = "status" in query || "status__in" in query;
  return showList(ctx, inboxProspect, await readList(ctx, inboxProspect, query, saysStatus ? [] : [sql`t.status = 'new'`]));
}
