// What workers read across organizations to find work. Each change is then made within its own
// organization.
import type { Actor } from "../core/context.ts";
import { permissionsOf } from "../core/permissions.ts";
import { from, type Resource } from "../core/resource.ts";
import type { Database, TextRow } from "../db/database.ts";
import { join, name, raw, type Sql, sql, statement } from "../db/sql.ts";
import { statementName } from "../records/records.ts";
import { isLiving } from "./unscoped.ts";

// --- jobs ---

/**
 * The organizations that have claimable jobs of these kinds. Those of a suspended one wait, but not its deletion. It jumps from
 * organization to organization in the index, so that one with very many jobs costs as little as any other.
 */
export async function organizationsWithJobs(
  db: Database,
  kinds: readonly string[],
): Promise<{ kind: string; organization_id: string; is_limited: boolean }[]> {
  const rows = await db.unscoped({
    name: "job.organizations",
    text: `/* across organizations: whoever has something to do */
           select k.kind, j.organization_id, o.limit_percent is not null from unnest($1::text[]) k(kind), lateral (
             with recursive found as (
               (select organization_id from job where state = 'ready' and kind = k.kind order by organization_id limit 1)
               union all
               select next.organization_id from found, lateral (
                 select n.organization_id from job n where n.state = 'ready' and n.kind = k.kind
                   and n.organization_id > found.organization_id order by n.organization_id limit 1) next)
             select organization_id from found) j
           left join organization o on o.id = j.organization_id
           where coalesce(o.limit_percent, 100) > 0 or o.erased_at is not null`,
    values: [kinds],
  });
  return rows.map((row) => ({ kind: row[0]!, organization_id: row[1]!, is_limited: row[2] === "t" }));
}

/** What no clock that is right would set: a claim that ends later than `claim`, or the retry of a failure later than `retry`. */
export interface TooFar {
  claim: Date;
  retry: Date;
}

/** The organizations that have due jobs, or claimed jobs whose worker has gone silent, or jobs from before the clock was set back. */
export async function organizationsWithLateJobs(db: Database, now: Date, far: TooFar): Promise<string[]> {
  const rows = await db.unscoped({
    name: "job.late",
    text: `/* across organizations: whatever is due anywhere */
           select organization_id from job where state = 'scheduled' and due_at <= $1
           union select organization_id from job where state = 'claimed' and claimed_until <= $1
           union select organization_id from job where state = 'claimed' and claimed_until > $2
           union select organization_id from job where state = 'scheduled' and failures > 0 and due_at > $3`,
    values: [now, far.claim, far.retry],
  });
  return rows.map((row) => row[0]!);
}

// --- consumers of the log ---

/** The consumers that have unread events in their organization's log. */
export async function consumersBehind(
  db: Database,
  names: readonly string[],
): Promise<{ name: string; organization_id: string }[]> {
  const rows = await db.unscoped({
    name: "consumer.behind",
    text: `/* across organizations: whoever has something to read */
           select c.name, c.organization_id from consumer c, event_epoch head
           where c.name = any($1) and ${isLiving("c.organization_id")} and exists (select from event e where e.organization_id = c.organization_id
             and (e.epoch, e.position, e.seq) > (c.cursor_epoch, c.cursor_position, c.cursor_seq)
             and (e.epoch, e.position) < (head.epoch, pg_snapshot_xmin(pg_current_snapshot())::text::bigint))`,
    values: [names],
  });
  return rows.map((row) => ({ name: row[0]!, organization_id: row[1]! }));
}

// --- streams ---

/** A position in the log of an organization: epoch, position, seq. */
export interface LogPlace {
  organization_id: string;
  after: readonly string[];
}

/** What followers of a log need to know about an event before it is read in their name. */
export interface NewEvent extends LogPlace {
  id: string;
  object_id: string;
  /** Its `meta` says where a lead was moved to. Not everybody may see that. */
  tells_move: boolean;
}

/**
 * New events behind these places, in the order of each log. At most `most` are returned; those left out are the last of their
 * log.
 */
export async function newEventsOf(db: Database, places: readonly LogPlace[], most: number): Promise<NewEvent[]> {
  const rows = await db.unscoped({
    name: "event.new",
    text: `/* across organizations: whatever is new where somebody follows */
           select e.organization_id, e.id, e.object_id, e.meta::text like '%"moved_%', e.epoch, e.position, e.seq
           from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) o(organization_id, epoch, position, seq), event_epoch head, event e
           where e.organization_id = o.organization_id and (e.epoch, e.position, e.seq) > (o.epoch, o.position, o.seq)
             and (e.epoch, e.position) < (head.epoch, pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
           order by e.organization_id, e.epoch, e.position, e.seq limit $5`,
    values: [places.map((one) => one.organization_id), ...[0, 1, 2].map((i) => places.map(({ after }) => after[i])), most],
  });
  return rows.map(([organization_id, id, object_id, tells_move, ...after]) => ({
    organization_id: organization_id!,
    id: id!,
    object_id: object_id!,
    tells_move: tells_move === "t",
    after: after as string[],
  }));
}

// --- timers ---

/** Makes sure that each timer has a row. A new timer fires at once. */
export async function setTimers(db: Database, names: readonly string[], now: Date): Promise<void> {
  await db.unscopedTransaction(async (tx) =>
    tx.write({
      text: "insert into timer (name, due_at) select name, $2 from unnest($1::text[]) name on conflict (name) do nothing",
      values: [names, now],
    }),
  );
}

/**
 * Takes the timers that are due and sets when they fire next. The process that gets a timer does its work this time. A due time
 * more than two intervals ahead was set by a clock far ahead of ours. Such a timer counts as due too, or it would never fire
 * again.
 */
export async function takeTimers(
  db: Database,
  timers: readonly { name: string; everySeconds: number }[],
  now: Date,
): Promise<{ name: string; failures: number }[]> {
  const inTurns = (turns: number) => timers.map(({ everySeconds }) => new Date(now.getTime() + turns * everySeconds * 1000));
  const names = timers.map(({ name }) => name);
  const [due] = await db.unscoped({
    name: "timer.due",
    text: `select count(*) from timer t join unnest($1::text[], $2::timestamptz[]) n(name, far) on n.name = t.name
           where t.due_at <= $3 or t.due_at > n.far`,
    values: [names, inTurns(2), now],
  });
  if (due![0] === "0") return [];
  return db.unscopedTransaction(async (tx) => {
    const rows = await tx.read({
      name: "timer.take",
      text: `update timer t set due_at = n.due_at, fired_at = $4 from unnest($1::text[], $2::timestamptz[], $3::timestamptz[]) n(name, due_at, far)
             where t.name = n.name and (t.due_at <= $4 or t.due_at > n.far) returning t.name, t.failures`,
      values: [names, inTurns(1), inTurns(2), now],
    });
    return rows.map(([name, failures]) => ({ name: name!, failures: Number(failures) }));
  });
}

/** Stores the result of a timer's work: its failure, or null after a success. */
export async function noteTimer(db: Database, name: string, failure: Error | null): Promise<void> {
  await db.unscopedTransaction(async (tx) =>
    tx.write({
      text: "update timer set failures = case when $2::text is null then 0 else failures + 1 end, latest_error = $2 where name = $1",
      values: [name, failure?.message.slice(0, 500) ?? null],
    }),
  );
}

// --- workers ---

export interface WorkerProcess {
  id: string;
  host: string;
  pid: number;
  started_at: Date;
  defects: number;
}

/** Records that a worker is alive. Workers not seen for a day are removed. */
export async function tellOfWorker(db: Database, worker: WorkerProcess, now: Date): Promise<void> {
  const { id, host, pid, started_at, defects } = worker;
  await db.unscopedTransaction(async (tx) => {
    tx.write({
      text: `insert into worker (id, host, pid, started_at, seen_at, defects) values ($1, $2, $3, $4, $5, $6)
             on conflict (id) do update set seen_at = excluded.seen_at, defects = excluded.defects`,
      values: [id, host, pid, started_at, now, defects],
    });
    tx.write({ text: "delete from worker where seen_at < $1", values: [new Date(now.getTime() - 86_400_000)] });
  });
}

export async function forgetWorker(db: Database, { id }: WorkerProcess): Promise<void> {
  await db.unscopedTransaction(async (tx) => tx.write({ text: "delete from worker where id = $1", values: [id] }));
}

// --- rows that are due ---

/** A row that is due, and since when. */
export interface DueRow {
  organization_id: string;
  id: string;
  since: string;
}

export interface DueQuery {
  of: Resource;
  when: Sql;
  since: Sql;
}

/** Rows of a kind that meet a condition on the alias `t`, oldest first, in pages. The next page starts behind `after`. */
export async function dueRows(db: Database, { of, when, since }: DueQuery, after: DueRow | null): Promise<DueRow[]> {
  const kind = raw(of.only === undefined ? "true" : `t.${of.only.column} = '${of.only.value}'`);
  const behind = after === null ? raw("true") : sql`(${since}, t.id) > (${after.since}, ${after.id})`;
  const rows = await db.unscoped(
    statement(
      sql`/* across organizations: whatever is due anywhere */
          select t.organization_id, t.id, ${since} from ${from(of, "t")}
          where ${kind} and ${when} and ${behind} and ${raw(isLiving("t.organization_id"))} order by ${since}, t.id limit ${raw(String(dueRows.most))}`,
      (text) => (after === null ? statementName(of, "due", text) : undefined),
    ),
  );
  return rows.map((row) => ({ organization_id: row[0]!, id: row[1]!, since: row[2]! }));
}
dueRows.most = 1000;

// --- rows that are old enough to be dropped ---

/** The oldest rows of a table from before a moment: the organization and the key of each. */
export function oldRows(
  db: Database,
  { table, key }: { table: string; key: readonly string[] },
  before: Date,
): Promise<readonly TextRow[]> {
  const columns = join(
    ["organization_id", ...key].map((column) => sql`t.${name(column)}`),
    ", ",
  );
  return db.unscoped(
    statement(
      sql`/* across organizations: whatever is old anywhere */
          select ${columns} from ${name(table)} t where t.date_created < ${before}::timestamptz
          order by t.date_created limit ${raw(String(oldRows.most))}`,
      `${table}.old`,
    ),
  );
}
oldRows.most = 1000;

/** The organizations that keep something only for a time of their own. */
export async function organizationsWithRetention(db: Database): Promise<string[]> {
  const rows = await db.unscoped({
    name: "organization.with_retention",
    text: `/* across organizations: whoever has set it */
           select id from organization where settings ? 'retention' and erased_at is null order by id`,
    values: [],
  });
  return rows.map(([id]) => id!);
}

// --- mail of the service itself ---

/** An active member with notifications to be mailed, and the settings that say when. */
export interface MemberToTell {
  organization_id: string;
  user_id: string;
  /** The member's own, or else the organization's. */
  timezone: string;
  /** As JSON. */
  notification_settings: string;
}

/**
 * Members whose notifications have been unread and unmailed for long enough. The page starts behind `last`, and is empty at the
 * end.
 */
export async function membersToTell(
  db: Database,
  { unreadSince, newsSince }: { unreadSince: Date; newsSince: Date },
  last: MemberToTell | null,
): Promise<MemberToTell[]> {
  const rows = await db.unscoped({
    name: "digest.members",
    text: `/* across organizations: whoever is to be told anywhere */
           select m.organization_id, m.user_id, coalesce(u.timezone, o.timezone), u.notification_settings
           from (select distinct organization_id, user_id from notification
                 where not is_read and system_mail_id is null and type <> 'invited' and date_created > $1 and date_created <= $2
                   and (organization_id, user_id) > ($3, $4)) n
           join membership m on m.organization_id = n.organization_id and m.user_id = n.user_id and m.status = 'active'
           join organization o on o.id = n.organization_id
           join "user" u on u.id = n.user_id
           order by m.organization_id, m.user_id limit 1000`,
    values: [newsSince, unreadSince, last?.organization_id ?? "", last?.user_id ?? ""],
  });
  return rows.map((row) => ({
    organization_id: row[0]!,
    user_id: row[1]!,
    timezone: row[2]!,
    notification_settings: row[3]!,
  }));
}

// --- in whose name ---

/** A member with their current role, for work in their name. Null for a user who is no longer a member. */
export async function actorOfMember(db: Database, organizationId: string, userId: string): Promise<Actor | null> {
  const [row] = await db.unscoped({
    name: "auth.member",
    text: `select m.id, m.role_id, array_to_json(r.permissions), a.billing_status
           from membership m
           join role r on r.organization_id = m.organization_id and r.id = m.role_id
           join organization o on o.id = m.organization_id
           join account a on a.id = o.account_id
           where m.organization_id = $1 and m.user_id = $2 and m.status = 'active' and o.erased_at is null`,
    values: [organizationId, userId],
  });
  if (row === undefined) return null;
  return {
    organization_id: organizationId,
    user_id: userId,
    membership_id: row[0]!,
    role_id: row[1]!,
    permissions: new Set(permissionsOf(row[1]!, JSON.parse(row[2]!))),
    scopes: new Set(["read", "write_safe", "write_destructive"]),
    past_due: row[3] === "past_due",
    api_key_id: null,
  };
}

// --- accounts elsewhere ---

/**
 * Whether any organization's account still uses a person's grant to an application. Providers know only one grant for all of
 * them.
 */
export async function isGrantUsed(db: Database, grant: { subject: string; client_id: string }): Promise<boolean> {
  const rows = await db.unscoped({
    name: "oauth_grant.used",
    text: `/* across organizations: a person connects the same account in several */
           select from oauth_grant where subject = $1 and client_id = $2 and not is_given_back
             and ${isLiving("organization_id")} limit 1`,
    values: [grant.subject, grant.client_id],
  });
  return rows.length > 0;
}

/** Accounts whose calendars should be followed but have no job: an earlier release left them so, or a member came back. */
export async function unfollowedCalendars(db: Database, kind: string): Promise<{ organization_id: string; id: string }[]> {
  const rows = await db.unscoped({
    name: "calendar.unfollowed",
    text: `/* across organizations: whoever nobody looks at */
           select a.organization_id, a.id from connected_account a
           join membership m on m.organization_id = a.organization_id and m.user_id = a.user_id and m.status = 'active'
           join oauth_grant g on g.organization_id = a.organization_id and g.account_id = a.id and g.refused_at is null
           where a.calendar_status <> 'disabled' and not exists (
             select from job j where j.organization_id = a.organization_id and j.kind = $1 and j.object_id = a.id) limit 1000`,
    values: [kind],
  });
  return rows.map(([organization_id, id]) => ({ organization_id: organization_id!, id: id! }));
}
