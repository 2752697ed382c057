// The verbs of send-as. Members can only let others send in their own name: the caller who creates a send-as is the one who
// allows it.
import type { Ctx } from "../../core/context.ts";
import { invalid, Problem } from "../../core/errors.ts";
import type { Create, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { showList } from "../../records/list.ts";
import { readList } from "../../records/list_input.ts";
import { store } from "../../records/store.ts";
import { isActiveMember } from "../organization/user.ts";
import { sendAs } from "./send_as.ts";

export async function createSendAs(ctx: Ctx, given: Create<typeof sendAs>): Promise<Row<typeof sendAs>> {
  const allowing_user_id = given.allowing_user_id ?? ctx.actor.user_id;
  const allowed_user_id = given.allowed_user_id!;
  if (allowing_user_id !== ctx.actor.user_id)
    throw new Problem(403, "You can only allow others to send in your own name: allowing_user_id must be yours.");
  if (allowed_user_id === allowing_user_id) throw invalid({ allowed_user_id: "must be another member" });
  if (!isActiveMember(ctx.directory, allowed_user_id)) throw invalid({ allowed_user_id: "is not a member" });
  return store.insert(ctx, sendAs, { allowing_user_id, allowed_user_id });
}

/** By default the members whom the caller allows. A filter lists the other direction, or both. */
export async function listSendAs(ctx: Ctx, query: Record<string, string>): Promise<unknown> {
  const asks = Object.keys(query).some((key) => /^(id|allowing_user_id|allowed_user_id)(__in)?$/.test(key));
  return showList(ctx, sendAs, await readList(ctx, sendAs, query, asks ? [] : [sql`t.allowing_user_id = ${ctx.actor.user_id}`]));
}
