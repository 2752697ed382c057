// Who may send as whom. Members send from their own accounts, and from accounts of members who allow it, under the addresses of
// both. Members with `manage_organization` see all accounts, but send only from those.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { emailKey } from "../../values/email.ts";
import { isActiveMember, user } from "../organization/user.ts";
import { connectedAccount, isMailbox } from "./connected_account.ts";
import { sendAs } from "./send_as.ts";

type Account = Row<typeof connectedAccount>;

/** The mailbox with this id, or 400 on `field`. */
export async function mailboxOf(ctx: Ctx, userId: string, id: string, field: string): Promise<Account> {
  const account = (await accountsOf(ctx, await namesOf(ctx, userId))).find((one) => one.id === id);
  if (account === undefined) throw invalid({ [field]: "is not an account that may be sent from here" });
  if (!isMailbox(account._type)) throw invalid({ [field]: "cannot send e-mail" });
  return account;
}

/** Refuses a send-as that is for somebody else to use. */
export async function checkSendAs(ctx: Ctx, userId: string, id: string, field: string): Promise<void> {
  const found = await findRecords(ctx, { ...sendAs, visible: undefined }, [
    sql`t.id = ${id}`,
    sql`t.allowed_user_id = ${userId}`,
  ]);
  if (found.length === 0) throw invalid({ [field]: "does not exist" });
}

/** Refuses a member in whose name this one may not send. */
export async function checkName(ctx: Ctx, userId: string, name: string, field: string): Promise<void> {
  if (!(await namesOf(ctx, userId)).includes(name))
    throw invalid({ [field]: "is not a member who allows it: ask them to add a send-as" });
}

/** Refuses an address that is neither the member's nor of somebody who lets them send in their name. */
export async function checkAddress(ctx: Ctx, userId: string, address: string, field: string): Promise<void> {
  const wanted = emailKey(address);
  const isTheirs = (id: string) => emailKey(ctx.directory.get(user, id)?.email ?? "") === wanted;
  if (isTheirs(userId)) return;
  const names = await namesOf(ctx, userId);
  if (names.some(isTheirs)) return;
  const addresses = (await accountsOf(ctx, names)).flatMap(({ email, identities }) => [
    email ?? "",
    ...identities.map((one) => one.email),
  ]);
  if (!addresses.some((one) => emailKey(one) === wanted))
    throw invalid({ [field]: "is not an address that may be sent from here: connect its account first" });
}

/** The member, and the active members who let them send in their name. */
async function namesOf(ctx: Ctx, userId: string): Promise<string[]> {
  const rows = await query(
    ctx,
    statement(sql`select allowing_user_id from send_as
      where organization_id = ${ctx.organization_id} and allowed_user_id = ${userId}`),
  );
  return [userId, ...rows.map(([id]) => id!).filter((id) => isActiveMember(ctx.directory, id))];
}

const accountsOf = (ctx: Ctx, members: readonly string[]): Promise<Account[]> =>
  findRecords(ctx, { ...connectedAccount, visible: undefined }, [sql`t.user_id = any(${members})`]);
