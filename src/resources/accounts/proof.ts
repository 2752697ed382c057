// What proves that an address is a member's. Anybody can write any address into an account. It is theirs once a server took the
// account's login for it, or the provider says so; from then on no other member can claim it.
import { type Ctx, query, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { emailKey } from "../../values/email.ts";
import { isActiveMember } from "../organization/user.ts";
import type { connectedAccount } from "./connected_account.ts";

type Account = Row<typeof connectedAccount>;

/** The address that the account has now is proven, and not one that it had before. */
export const isProven = ({ email, proven_email }: Pick<Account, "email" | "proven_email">): boolean =>
  proven_email !== null && proven_email === emailKey(email ?? "");

/** A login by the address, or by its first part. With another name, or none, it says nothing about the address. */
export function couldProve(
  account: Pick<Account, "email" | "imap" | "smtp" | "granted_features" | SealedPassword>,
  by: "imap" | "smtp",
): boolean {
  const { [by]: server, email } = account;
  // Google and Microsoft are told the address.
  if (server === null) return account.granted_features !== null;
  const address = emailKey(email ?? "");
  const login = emailKey(server.username ?? address);
  return account[`sealed_${by}_password`] !== null && (login === address || login === address.split("@")[0]);
}

type SealedPassword = "sealed_imap_password" | "sealed_smtp_password";

/** The server took the login. This is no change of the account: its version and its date stay. */
export function proveBy(ctx: Ctx, account: Account, by: "imap" | "smtp"): void {
  if (isProven(account) || !couldProve(account, by)) return;
  // Of two that prove it at once, the second sees the first.
  write(ctx, lockOf(ctx, account.email ?? ""));
  write(ctx, {
    name: "connected_account.prove",
    text: `update connected_account a set proven_email = $3 where organization_id = $1 and id = $2 and lower(email) = $3 and not exists (
             select from connected_account b where b.organization_id = $1 and b.proven_email = $3 and lower(b.email) = $3
               and b.user_id <> a.user_id)`,
    values: [ctx.organization_id, account.id, emailKey(account.email ?? "")],
  });
}

const lockOf = (ctx: Ctx, address: string) =>
  statement(
    sql`select pg_advisory_xact_lock(hashtextextended(${`mailbox ${ctx.organization_id} ${emailKey(address)}`}, 0))`,
    "connected_account.lock_address",
  );

/** Whose the address is does not change until the transaction ends. */
export const lockAddress = (ctx: Ctx, address: string): Promise<unknown> => query(ctx, lockOf(ctx, address));

export interface Prover {
  user_id: string;
  email: string;
  /** Google or Microsoft says so. */
  byGrant: boolean;
}

/** Active members who have proven one of these addresses, first who did it by a grant, then who was first. */
export async function whoHasProven(ctx: Ctx, addresses: readonly string[]): Promise<Prover[]> {
  const rows = await query(
    ctx,
    statement(
      sql`select user_id, proven_email, granted_features is not null from connected_account
        where organization_id = ${ctx.organization_id} and proven_email = any(${addresses.map(emailKey)}::text[])
          and proven_email = lower(email)
        order by granted_features is null, date_created, id`,
      "connected_account.proven",
    ),
  );
  return rows
    .map(([user_id, email, byGrant]) => ({ user_id: user_id!, email: email!, byGrant: byGrant === "t" }))
    .filter(({ user_id }) => isActiveMember(ctx.directory, user_id));
}

/** Who is let in by Google or Microsoft takes over from a login at some server, which may be another one for the same address. */
export function proveByGrant(ctx: Ctx, { id, user_id }: Pick<Account, "id" | "user_id">, address: string): void {
  write(ctx, {
    name: "connected_account.take_over",
    text: `update connected_account set proven_email = null
           where organization_id = $1 and proven_email = $2 and id <> $3 and user_id <> $4`,
    values: [ctx.organization_id, emailKey(address), id, user_id],
  });
}

/** The accounts whose address another member has proven, and they have not. */
export async function provenByOthers(ctx: Ctx, accounts: readonly Account[]): Promise<Set<string>> {
  const open = accounts.filter((one) => one.email !== null && !isProven(one));
  const proven =
    open.length === 0
      ? []
      : await whoHasProven(
          ctx,
          open.map(({ email }) => email!),
        );
  const isOthers = (account: Account) =>
    proven.some(({ user_id, email }) => user_id !== account.user_id && email === emailKey(account.email!));
  return new Set(open.filter(isOthers).map(({ id }) => id));
}
