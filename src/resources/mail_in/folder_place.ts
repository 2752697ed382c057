// How far a folder has been read. UIDs grow within one UIDVALIDITY. Under another one, they mean other messages.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Account, Role } from "./visit.ts";

export interface FolderPlace {
  path: string;
  uid_validity: bigint;
  last_uid: number;
}

/** Null when it was never read. */
export async function placeOf(core: Core, { organization_id, id }: Account, role: Role): Promise<FolderPlace | null> {
  const [found] = await core.db.query(organization_id, {
    name: "mailbox_folder.place",
    text: "select path, uid_validity, last_uid from mailbox_folder where organization_id = $1 and account_id = $2 and role = $3",
    values: [organization_id, id, role],
  });
  return found === undefined ? null : { path: found[0]!, uid_validity: BigInt(found[1]!), last_uid: Number(found[2]) };
}

export function beginAt(ctx: Ctx, { id }: Account, role: Role, { path, uid_validity, last_uid }: FolderPlace): void {
  write(ctx, {
    name: "mailbox_folder.begin",
    text: `insert into mailbox_folder (organization_id, account_id, role, path, uid_validity, last_uid) values ($1, $2, $3, $4, $5, $6)
           on conflict (organization_id, account_id, role) do update set path = excluded.path, uid_validity = excluded.uid_validity,
             last_uid = excluded.last_uid, tried_uid = null, tries = 0`,
    values: [ctx.organization_id, id, role, path, uid_validity, last_uid],
  });
}

export function moveOn(ctx: Ctx, { id }: Account, role: Role, uid: number): void {
  write(ctx, {
    name: "mailbox_folder.move",
    text: `update mailbox_folder set last_uid = $4, tried_uid = null, tries = 0
           where organization_id = $1 and account_id = $2 and role = $3`,
    values: [ctx.organization_id, id, role, uid],
  });
}

/** Counts one more attempt at a message, and returns how many there were. */
export async function countTry(ctx: Ctx, { id }: Account, role: Role, uid: number): Promise<number> {
  const [row] = await transactionOf(ctx).read({
    name: "mailbox_folder.try",
    text: `update mailbox_folder set tries = case when tried_uid = $4 then tries else 0 end + 1, tried_uid = $4
           where organization_id = $1 and account_id = $2 and role = $3 returning tries`,
    values: [ctx.organization_id, id, role, uid],
  });
  return Number(row![0]);
}
