// Which mailboxes of all organizations a worker is connected to. A worker leases them. What a
// connection reports is then handled in the mailbox's own organization.
import type { Database, TextRow } from "../db/database.ts";
import { isLiving } from "./unscoped.ts";

/** A mailbox that a worker watches until its lease ends. */
export interface LeasedMailbox {
  organization_id: string;
  account_id: string;
  /** Changes when the way to log in changes. */
  entrance: string;
  /** How often in a row its connection failed. */
  failures: number;
}

export interface Lease {
  worker: string;
  now: Date;
  until: Date;
}

const columns = "w.organization_id, w.account_id, w.entrance, w.failures";
const entrance = "md5(concat_ws(' ', a.email, a.imap, a.sealed_imap_password))";

/** The condition for a member's mailbox that is read and works. */
const isWatched = `a.receive_status = 'ok' and ${isLiving("a.organization_id")} and exists (
  select from membership m where m.organization_id = a.organization_id and m.user_id = a.user_id and m.status = 'active')`;

/** A lease that ends much later than a new one was taken before the clock was set back. Whoever has it takes a new one, if alive. */
const isFree =
  "(w.held_until is null or w.held_until <= $1 or w.held_until > $3::timestamptz + ($3::timestamptz - $1::timestamptz))";

/** Leases mailboxes that nobody watches. Two concurrent workers get different ones. */
export async function takeMailboxes(db: Database, { worker, now, until }: Lease, most: number): Promise<LeasedMailbox[]> {
  const rows = await db.unscopedTransaction((tx) =>
    tx.read({
      name: "mailbox_watch.take",
      text: `/* across organizations: mailboxes that nobody watches */
             with free as materialized (
               select a.organization_id, a.id, ${entrance} as entrance from connected_account a
               left join mailbox_watch w on w.organization_id = a.organization_id and w.account_id = a.id
               where ${isWatched} and ${isFree}
                 and (w.again_at is null or w.again_at <= $1 or w.entrance <> ${entrance})
               order by a.organization_id, a.id limit $4)
             insert into mailbox_watch as w (organization_id, account_id, worker, held_until, entrance)
             select organization_id, id, $2, $3::timestamptz, entrance from free
             on conflict (organization_id, account_id) do update set worker = excluded.worker, held_until = excluded.held_until,
                 entrance = excluded.entrance, failures = case when w.entrance = excluded.entrance then w.failures else 0 end
               where ${isFree}
             returning ${columns}`,
      values: [now, worker, until, most],
    }),
  );
  return rows.map(leasedMailbox);
}

/**
 * Renews all leases of a worker, and returns those it still has. A missing one belongs to another worker, or is no longer read.
 */
export async function renewMailboxes(db: Database, { worker, now, until }: Lease): Promise<LeasedMailbox[]> {
  const rows = await db.unscopedTransaction((tx) =>
    tx.read({
      name: "mailbox_watch.renew",
      text: `/* across organizations: what a worker watches */
             update mailbox_watch w set held_until = case when ${isWatched} then $3::timestamptz else $2 end, entrance = ${entrance}
             from connected_account a
             where w.worker = $1 and a.organization_id = w.organization_id and a.id = w.account_id
             returning ${columns}, w.held_until > $2`,
      values: [worker, now, until],
    }),
  );
  return rows.filter((row) => row[4] === "t").map(leasedMailbox);
}

/** Gives up all leases of a worker, so that others can take them. */
export async function leaveMailboxes(db: Database, worker: string): Promise<void> {
  await db.unscopedTransaction(async (tx) =>
    tx.write({
      name: "mailbox_watch.leave",
      text: `/* across organizations: what a worker watched */
             update mailbox_watch set worker = null, held_until = null where worker = $1`,
      values: [worker],
    }),
  );
}

const leasedMailbox = ([organization_id, account_id, entrance, failures]: TextRow): LeasedMailbox => ({
  organization_id: organization_id!,
  account_id: account_id!,
  entrance: entrance!,
  failures: Number(failures),
});

/**
 * Mailboxes that should be read and have no job: it was lost, or a member came back. Mailboxes that wait for their owner have
 * none either.
 */
export async function unreadMailboxes(db: Database, kind: string): Promise<{ organization_id: string; id: string }[]> {
  const rows = await db.unscoped({
    name: "mailbox.unread",
    text: `/* across organizations: whoever nobody looks at */
           select a.organization_id, a.id from connected_account a
           join membership m on m.organization_id = a.organization_id and m.user_id = a.user_id and m.status = 'active'
           left join mailbox b on b.organization_id = a.organization_id and b.account_id = a.id
           where a.receive_status <> 'disabled' and ${isLiving("a.organization_id")} and b.needs_owner is not true and not exists (
             select from job j where j.organization_id = a.organization_id and j.kind = $1 and j.object_id = a.id) limit 1000`,
    values: [kind],
  });
  return rows.map(([organization_id, id]) => ({ organization_id: organization_id!, id: id! }));
}
