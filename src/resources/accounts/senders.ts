// Who may send as whom. Members send from their own accounts, from those that are shared with them, and from those of members who let
// them send in their name, under the addresses of all of these. Members with `manage_organization` see all accounts, but send only from those.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { empty, sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { emailKey } from "../../values/email.ts";
import { isActiveMember, user } from "../organization/user.ts";
import { idsOfMember } from "../tasks/assignee.ts";
import { connectedAccount, isMailbox } from "./connected_account.ts";
import { isProven, provenByOthers } from "./proof.ts";
import { sendAs } from "./send_as.ts";

type Account = Row<typeof connectedAccount>;

/** All accounts and identities that a member may send with. */
export interface Senders {
  user_id: string;
  /** The members who allow it. */
  lent: readonly Row<typeof sendAs>[];
  /** Their own first, then those shared with them, then those of members who allow it. Default accounts come before others. */
  accounts: readonly Account[];
}

export async function sendersOf(ctx: Ctx, userId: string): Promise<Senders> {
  const isActive = (id: string) => id === userId || isActiveMember(ctx.directory, id);
  const ids = idsOfMember(ctx.directory, userId);
  const [lent, accounts] = await Promise.all([
    findRecords(ctx, { ...sendAs, visible: undefined }, [sql`t.allowed_user_id = ${userId}`], empty, "of_senders"),
    findRecords(
      ctx,
      { ...connectedAccount, visible: undefined },
      [
        sql`(t.user_id = ${userId} or t.shared_with && ${ids}::text[] or t.user_id in (select allowing_user_id from send_as
          where organization_id = ${ctx.organization_id} and allowed_user_id = ${userId}))`,
      ],
      sql`order by t.user_id <> ${userId}, not t.shared_with && ${ids}::text[], not t.is_default, t.id`,
      "of_senders",
    ),
  ]);
  const claimed = await provenByOthers(ctx, accounts);
  return {
    user_id: userId,
    lent: lent.filter((one) => isActive(one.allowing_user_id)),
    accounts: accounts.filter((one) => isActive(one.user_id) && !claimed.has(one.id)),
  };
}

// --- refusals ---

/** The mailbox with this id, or 400 on `field`. */
export function mailboxAmong({ accounts }: Senders, id: string, field: string): Account {
  const account = accounts.find((one) => one.id === id);
  if (account === undefined) throw invalid({ [field]: "is not an account that may be sent from here" });
  if (!isMailbox(account._type)) throw invalid({ [field]: "cannot send e-mail" });
  return account;
}

/** Refuses a send-as that was given to somebody else. */
export function checkSendAsAmong({ lent }: Senders, id: string, field: string): void {
  if (!lent.some((one) => one.id === id)) throw invalid({ [field]: "does not exist" });
}

/** Refuses an address that belongs neither to the member nor to somebody who lets them send in their name. */
export function checkAddressAmong(ctx: Ctx, senders: Senders, address: string, field: string): void {
  if (!maySendAs(ctx, senders, address))
    throw invalid({ [field]: "is not an address that may be sent from here: connect its account first" });
}

export function maySendAs(ctx: Ctx, senders: Senders, address: string): boolean {
  const wanted = emailKey(address);
  return whoHas(ctx, senders, wanted) !== undefined || senders.accounts.some((one) => ownAddressesOf(one).includes(wanted));
}

/** The address is theirs beyond what they say: an admin gave it, its mailbox was entered, or it is a member's own. */
export function hasProven(ctx: Ctx, senders: Senders, address: string): boolean {
  const wanted = emailKey(address);
  const proven = ({ allowed_identities, ...one }: Account) =>
    allowed_identities.includes(wanted) || (isProven(one) && one.proven_email === wanted);
  return whoHas(ctx, senders, wanted) !== undefined || senders.accounts.some(proven);
}

export const mailboxOf = async (ctx: Ctx, userId: string, id: string, field: string): Promise<Account> =>
  mailboxAmong(await sendersOf(ctx, userId), id, field);

export const checkSendAs = async (ctx: Ctx, userId: string, id: string, field: string): Promise<void> =>
  checkSendAsAmong(await sendersOf(ctx, userId), id, field);

export const checkAddress = async (ctx: Ctx, userId: string, address: string, field: string): Promise<void> =>
  checkAddressAmong(ctx, await sendersOf(ctx, userId), address, field);

/** Refuses a member in whose name this one may not send. */
export async function checkName(ctx: Ctx, userId: string, name: string, field: string): Promise<void> {
  if (!namesOf(await sendersOf(ctx, userId)).includes(name))
    throw invalid({ [field]: "is not a member who allows it: ask them to add a send-as" });
}

// --- defaults ---

/** The sender of a message, as far as it is given. */
export interface From {
  /** Only the address. */
  sender: string | null;
  email_account_id: string | null;
  send_as_id: string | null;
}

/**
 * The mailbox for a message: the one it names, or else the one with its sender's address, or else the default of the member with
 * that address or of the send-as, or else of the member. Null when none of them can send.
 */
export function usualMailbox(ctx: Ctx, senders: Senders, { sender, email_account_id, send_as_id }: From): Account | null {
  const usable = senders.accounts.filter((one) => isMailbox(one._type) && one.send_status !== "disabled");
  if (email_account_id !== null) return usable.find(({ id }) => id === email_account_id) ?? null;
  const allowing = senders.lent.find(({ id }) => id === send_as_id)?.allowing_user_id;
  const of = (userId: string | undefined) => usable.find((one) => one.user_id === userId) ?? null;
  if (sender === null) return of(allowing) ?? (send_as_id === null ? own(senders, usable) : null);
  const wanted = emailKey(sender);
  return usable.find((one) => addressesOf(one).includes(wanted)) ?? of(allowing ?? whoHas(ctx, senders, wanted));
}

/** Nobody sends in another's name by default, except by an account shared with them. */
const own = ({ user_id, lent }: Senders, usable: readonly Account[]): Account | null =>
  usable.find((one) => one.user_id === user_id || !lent.some(({ allowing_user_id }) => allowing_user_id === one.user_id)) ?? null;

/** The default sender: the first identity of the account that this member may send as. */
export const identityOf = (ctx: Ctx, senders: Senders, account: Account): { email: string; name: string | null } =>
  account.identities.find((one) => maySendAs(ctx, senders, one.email)) ?? { email: account.email!, name: null };

/** The addresses that everybody who may send by the account may send as: its own, and those that an admin gave it. */
export const ownAddressesOf = ({ email, allowed_identities }: Account): string[] => [
  emailKey(email ?? ""),
  ...allowed_identities,
];

/** All addresses of an account, in the form in which they are compared. Its identities may need a right of whoever sends. */
export const addressesOf = ({ email, identities }: Account): string[] =>
  [email ?? "", ...identities.map((one) => one.email)].map(emailKey);

const namesOf = ({ user_id, lent }: Senders): string[] => [user_id, ...lent.map((one) => one.allowing_user_id)];

/** The member with this address, among the sender and those in whose name they send. */
const whoHas = (ctx: Ctx, senders: Senders, key: string): string | undefined =>
  namesOf(senders).find((id) => emailKey(ctx.directory.get(user, id)?.email ?? "") === key);
