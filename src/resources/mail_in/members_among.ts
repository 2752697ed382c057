// Which people of fetched messages are members, by the addresses of connected accounts.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { empty, sql, statement } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { readingAs, systemActor } from "../../records/acting.ts";
import { findRecords } from "../../records/records.ts";
import { emailKey } from "../../values/email.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import { couldProve, isProven } from "../accounts/proof.ts";
import { ownAddressesOf } from "../accounts/senders.ts";
import type { ArrivedMail } from "./arrived.ts";
import type { Visit } from "./visit.ts";

type Account = Row<typeof connectedAccount>;

/**
 * Members by address. Anybody can write any address into an account: one whose mailbox they never entered is nobody's, and a
 * contact's is the contact's. Mail from it would be lost otherwise, as what members write to each other is private.
 */
export async function membersAmong({ core, job, account }: Visit, mails: readonly ArrivedMail[]): Promise<Map<string, string>> {
  const people = mails.flatMap(({ from, to, cc, bcc }) => [from ?? [], to, cc, bcc].flat());
  const asked = new Set(people.map(({ email }) => emailKey(email)));
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const claimed = (await accountsWith(ctx, [...asked])).flatMap((one) =>
    (isTheirs(one) ? ownAddressesOf(one) : one.allowed_identities).map((address) => [address, one.user_id] as const),
  );
  const named = claimed.filter(([address]) => asked.has(address));
  const theirs = await ofContacts(ctx, [...new Set(named.map(([address]) => address))]);
  const own = ownAddressesOf(account).map((address) => [address, account.user_id] as const);
  return new Map([...own, ...named.filter(([address]) => !theirs.has(address))]);
}

/** And all with letters that PostgreSQL may compare in another way. */
function accountsWith(ctx: Ctx, addresses: readonly string[]): Promise<Account[]> {
  const has = sql`(lower(t.email) = any(${addresses}::text[]) or t.allowed_identities && ${addresses}::text[] or t.email ~ '[^ -~]')`;
  return findRecords(ctx, connectedAccount, [has], empty, "with_addresses");
}

async function ofContacts(ctx: Ctx, addresses: readonly string[]): Promise<Set<string>> {
  if (addresses.length === 0) return new Set();
  const rows = await query(
    ctx,
    statement(
      sql`select distinct key from contact t, unnest(t.email_keys) key
        where t.organization_id = ${ctx.organization_id} and t.email_keys && ${addresses}::text[] and key = any(${addresses}::text[])`,
      "contact.with_claimed",
    ),
  );
  return new Set(rows.map(([key]) => key!));
}

/** A mailbox that is not visited yet counts until its first visit fails. */
const isTheirs = (account: Account): boolean =>
  isProven(account) || (account.last_synced_at === null && account.receive_status === "ok" && couldProve(account, "imap"));
