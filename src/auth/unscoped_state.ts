// What an operator sees of the background, over all organizations: for `headwater doctor` and the metrics.
import type { Database, Statement, TextRow } from "../db/database.ts";
import { isLiving } from "./unscoped.ts";

/** What waits in the background, and why. Times are in seconds, and null where there is nothing. */
export interface BackgroundState {
  jobs: {
    kind: string;
    ready: number;
    scheduled: number;
    claimed: number;
    oldest: number | null;
    failing: number;
    crashed: number;
    /** The organization with most of what is ready, and how many of these are its own. */
    most_of: string | null;
    most: number | null;
  }[];
  /** What the operator has limited. */
  limited: { organization_id: string; name: string; percent: number; jobs: number }[];
  /** The most frequent reasons why jobs failed at their last attempt. */
  failures: { kind: string; reason: string; count: number }[];
  /** How far consumers of the log are behind. Each organization counts with 1,000 events at most. */
  consumers: { name: string; events: number; oldest: number | null }[];
  webhooks: { waiting: number; oldest: number | null }[];
  /** System mail: how many mails wait, how many of those the server has not taken yet, and how many failed within a day. */
  mail: { waiting: number; failing: number; failed: number }[];
  /** The most frequent reasons, and the number of mails for each. */
  mail_failures: { reason: string; count: number }[];
  timers: { name: string; late: number; fired: number | null; failures: number; latest_error: string | null }[];
  workers: { host: string; pid: number; seen: number; defects: number }[];
  /** The size of the database, and how many of its connections are open, by any program. */
  server: { bytes: number; connections: number; connections_most: number }[];
  /** Scheduled backups: since when there has been a good one, how large it is, and how many failed after it, with the latest reason. */
  backups: { age: number | null; bytes: number | null; failures: number; latest_error: string | null }[];
}

/** What waits because its organization is suspended is not late. */
const notSuspended = "organization_id <> all (array(select id from organization where limit_percent = 0 and erased_at is null))";

/** One statement, whose result `backgroundStateOf` reads. It takes some milliseconds for each thousand jobs. */
export const backgroundState = (now: Date): Statement => ({
  text: `/* across organizations: what waits, for the operator */
    with counted as (
      select kind, count(*) filter (where state = 'ready') as ready, count(*) filter (where state = 'scheduled') as scheduled,
        count(*) filter (where state = 'claimed') as claimed, count(*) filter (where failures > 0) as failing,
        count(*) filter (where crashes > 0) as crashed,
        extract(epoch from $1::timestamptz - min(due_at) filter (where state <> 'claimed' and due_at <= $1)) as oldest
      from job where ${notSuspended} group by kind),
    busiest as (
      select distinct on (kind) kind, organization_id as most_of, count(*) as most from job where state = 'ready' and ${notSuspended}
      group by kind, organization_id order by kind, count(*) desc, organization_id),
    jobs as (select counted.*, busiest.most_of, busiest.most from counted left join busiest using (kind)),
    limited as (
      select o.id as organization_id, o.name, o.limit_percent as percent, (select count(*) from job j where j.organization_id = o.id) as jobs
      from organization o where o.limit_percent is not null and o.erased_at is null order by 1),
    failures as (
      select kind, left(latest_error, 100) as reason, count(*) as count from job where latest_error is not null
      group by 1, 2 order by 3 desc, 1, 2 limit 10),
    consumers as (
      select c.name, sum(l.events) as events, extract(epoch from $1 - min(l.oldest)) as oldest
      from consumer c cross join lateral (
        select count(*) as events, min(u.date_created) as oldest from (
          select e.date_created from event e where e.organization_id = c.organization_id
            and (e.epoch, e.position, e.seq) > (c.cursor_epoch, c.cursor_position, c.cursor_seq)
          order by e.epoch, e.position, e.seq limit 1000) u) l
      where ${isLiving("c.organization_id")} group by c.name),
    webhooks as (
      select count(*) as waiting, extract(epoch from $1 - min(oldest_pending_at)) as oldest from webhook
      where status = 'active' and oldest_pending_at is not null and ${isLiving("organization_id")}),
    -- Reads only mail of the last week, which an index finds. Older mail waits for a worker, and its jobs show that.
    letters as materialized (
      select status, left(error, 100) as reason from system_mail where date_created > $1 - interval '7 days'
        and (status = 'outbox' or (status = 'error' and date_ended > $1 - interval '1 day'))),
    mail as (
      select count(*) filter (where status = 'outbox') as waiting, count(*) filter (where status = 'outbox' and reason is not null) as failing,
        count(*) filter (where status = 'error') as failed
      from letters),
    mail_failures as (
      select reason, count(*) as count from letters where reason is not null group by 1 order by 2 desc, 1 limit 3),
    timers as (
      select name, greatest(0, extract(epoch from $1 - due_at)) as late, extract(epoch from $1 - fired_at) as fired, failures, latest_error
      from timer),
    workers as (select host, pid, extract(epoch from $1 - seen_at) as seen, defects from worker),
    past_backup as (select * from backup where ${isPast}),
    good as (select started_at, bytes from past_backup where state = 'done' order by started_at desc limit 1),
    backups as (
      select extract(epoch from $1 - (select started_at from good)) as age, (select bytes from good) as bytes, count(f) as failures,
        (array_agg(f.error order by f.started_at desc))[1] as latest_error
      from (select from backup limit 1) any_backup
      left join past_backup f on f.state = 'failed' and f.started_at > coalesce((select started_at from good), '-infinity')
      having count(*) > 0),
    server as (
      select pg_database_size(current_database()) as bytes, (select count(*) from pg_stat_activity where datid is not null) as connections,
        current_setting('max_connections')::int as connections_most)
    select 'jobs', row_to_json(jobs) from jobs union all select 'limited', row_to_json(limited) from limited union all select 'failures', row_to_json(failures) from failures
    union all select 'consumers', row_to_json(consumers) from consumers union all select 'webhooks', row_to_json(webhooks) from webhooks
    union all select 'mail', row_to_json(mail) from mail union all select 'mail_failures', row_to_json(mail_failures) from mail_failures
    union all select 'timers', row_to_json(timers) from timers union all select 'workers', row_to_json(workers) from workers
    union all select 'backups', row_to_json(backups) from backups
    union all select 'server', row_to_json(server) from server`,
  values: [now],
});

export function backgroundStateOf(rows: readonly TextRow[]): BackgroundState {
  const of = (what: string) => rows.filter(([one]) => one === what).map(([, json]) => JSON.parse(json!));
  return {
    jobs: of("jobs"),
    limited: of("limited"),
    failures: of("failures"),
    consumers: of("consumers"),
    webhooks: of("webhooks"),
    mail: of("mail"),
    mail_failures: of("mail_failures"),
    timers: of("timers"),
    workers: of("workers"),
    backups: of("backups"),
    server: of("server"),
  };
}

/** Uses a connection of its own, so that no other query waits behind it. */
export const readBackground = async (db: Database, now: Date): Promise<BackgroundState> =>
  backgroundStateOf(await db.unscopedTransaction((tx) => tx.read(backgroundState(now))));

/** A scheduled backup. Of one that is running, the process may have ended. */
export interface BackupAttempt {
  started_at: Date;
  state: "running" | "done" | "failed";
}

/** The condition for a backup that began before now, `$1`. Clocks of hosts differ a little; one further ahead is wrong. */
export const isPast = "started_at <= $1::timestamptz + interval '1 minute'";

/** The latest attempt of the schedule, of any host. One of the future is of a clock that was wrong. Null: there was none yet. */
export async function latestBackup(db: Database, now: Date): Promise<BackupAttempt | null> {
  const [row] = await db.unscoped({
    name: "backup.latest",
    text: `/* across organizations: a backup is of all of them */ select started_at::text, state from backup
           where ${isPast} order by started_at desc, id desc limit 1`,
    values: [now],
  });
  return row === undefined ? null : { started_at: new Date(row[0]!), state: row[1] as BackupAttempt["state"] };
}
