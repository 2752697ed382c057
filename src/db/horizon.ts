// The horizon: readers of the log wait for every writing transaction of the whole server. One that stays open holds up webhooks,
// notifications and streams of all organizations. So ours are ended after a minute, and those of others are reported.
import type { Rows, Statement } from "./database.ts";

/** How long a transaction that writes may take. */
export const longestMs = 60_000;

export interface LongTransaction {
  pid: number;
  /** The name that the connection gave itself, and its database. */
  application: string;
  database: string;
  seconds: number;
  /** The last statement, without any values. */
  statement: string;
  /** It was one of the service's own, and was ended. */
  isEnded: boolean;
}

/**
 * Ends transactions of the service that write for longer than allowed. Returns these and the long transactions of others. The
 * time is that of the server. Migrations and commands use other application names and may take longer.
 */
export async function endLongTransactions(
  db: { askServer(statement: Statement): Promise<Rows> },
  ms: number = longestMs,
): Promise<LongTransaction[]> {
  const rows = await db.askServer({
    name: "horizon.long",
    text: `select pid, application_name, datname, extract(epoch from now() - xact_start)::int, query,
             case when application_name = 'headwater' and datname = current_database() then pg_terminate_backend(pid) end
           from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid() and xact_start < now() - make_interval(secs => $1)
           order by xact_start`,
    values: [ms / 1000],
  });
  return rows.map(([pid, application, database, seconds, query, ended]) => ({
    pid: Number(pid),
    application: application!,
    database: database ?? "",
    seconds: Number(seconds),
    statement: withoutValues(query!),
    isEnded: ended === "t",
  }));
}

/** The transaction that has written for longest on the whole server, with its statement but no values; null for none. */
export async function oldestWrite(db: { askServer(statement: Statement): Promise<Rows> }): Promise<OldestWrite | null> {
  const [row] = await db.askServer({ text: oldestWriteQuery, values: [], name: "horizon.oldest" });
  return row === undefined ? null : oldestWriteOf(row);
}

export interface OldestWrite {
  pid: number;
  application: string;
  seconds: number;
  statement: string;
}

export const oldestWriteQuery = `select pid, application_name, extract(epoch from now() - xact_start), query
  from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid() order by xact_start limit 1`;

export const oldestWriteOf = ([pid, application, seconds, query]: readonly (string | null)[]): OldestWrite => ({
  pid: Number(pid),
  application: application!,
  seconds: Number(seconds),
  statement: withoutValues(query!),
});

/** Removes the values from a statement. Our own statements have parameters; those of others may contain confidential values. */
export const withoutValues = (statement: string): string =>
  statement
    .replace(/('|\$\w*\$).*/s, "…")
    .replace(/(?<![\w$])\d[\d.]*/g, "?")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 500);
