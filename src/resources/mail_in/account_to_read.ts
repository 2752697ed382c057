// The account of a mailbox job, if its mail should be fetched at this moment.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { connectedAccount, fetchesMail } from "../accounts/connected_account.ts";
import { isActiveMember } from "../organization/user.ts";
import type { Account } from "./visit.ts";

/** Null when it is gone, switched off, or its owner is not an active member. */
export async function accountToRead(ctx: Ctx, id: string): Promise<Account | null> {
  const [found] = await findRecords(ctx, connectedAccount, [sql`t.id = ${id}`]);
  const fetches = found !== undefined && fetchesMail(found) && isActiveMember(ctx.directory, found.user_id);
  return fetches ? found : null;
}
