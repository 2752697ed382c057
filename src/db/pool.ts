// Connections in shares, one share for each kind of work. Prepared reads and prepared searches are pipelined on a few connections
// each. A transaction holds a connection, and so does every other read. Reads have connections of their own, so that no write
// waits for them. Under row-level security every statement holds a connection.
import { availableParallelism } from "node:os";
import type pg from "pg";
import { unavailable } from "../core/errors.ts";
import type { Asker, Database, Rows, Statement, Transaction } from "./database.ts";
import { openFlights } from "./flights.ts";
import { longestMs } from "./horizon.ts";
import { cancelThrough, pooledConfig, settingsOf } from "./pooler.ts";
import { Pulse } from "./pulse.ts";
import { position, Replica } from "./replica.ts";
import { appRole } from "./roles.ts";
import { Share, type ShareSize, type Usage } from "./share.ts";
import { SharedReads } from "./shared_reads.ts";
import { commit, enter, inTransaction, patience, plainBegin, retried, snapshotBegin } from "./transaction.ts";
import { isPooled, run, sendTogether } from "./wire.ts";

export interface PoolOptions {
  url: string;
  /** A pooler in transaction mode before it, such as PgBouncer. Requests and work go through it; the rest goes to `url`. */
  pooler?: string | null;
  /** Every connection acts from the beginning as a role that owns nothing, so that row-level security applies. */
  rls: boolean;
  /** The tables are distributed over several servers. */
  spread?: boolean;
  /** The version of PostgreSQL. */
  version?: number;
  /** A replica, and how many seconds it may be behind and still be asked. */
  replica?: { url: string; lagSeconds: number } | null;
  readConnections?: number;
  /** The connections for transactions. */
  own?: ShareSize;
  onError?: (error: Error) => void;
}

export interface PostgresDatabase extends Database {
  /** Asks the server about itself, as the connecting user, who alone sees what its connections do. Answered at once or not at all. */
  askServer(statement: Statement): Promise<Rows>;
  usage(): Usage;
}

const timeouts = "-c statement_timeout=10000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=15000 -c timezone=UTC";
// Readers of the log wait for the oldest writing transaction. Before version 17 only a worker ends one that lasts: `horizon.ts`.
const limitsOf = ({ version = 0 }: PoolOptions) => (version < 17 ? timeouts : `${timeouts} -c transaction_timeout=${longestMs}`);
// Hot data is in memory, where a random page costs hardly more than the next one. The default of 4 is meant for spinning disks:
// with it, a search for 400 of 200,000 leads scans a whole index instead of looking 400 entries up in another (15 ms instead of
// 1). JIT is off, because compiling a statement takes longer than any of ours should run.
const planning = "-c random_page_cost=1.1 -c jit=off";

// Bounded reads are planned for any organization. Without these settings the plan for the average one (a bitmap of all its rows,
// then a sort) would be used for the largest. Every statement that comes here is answered in index order.
const byIndexOnly = "-c enable_sort=off -c enable_seqscan=off -c enable_bitmapscan=off";

// A prepared statement has one plan for all values. By default PostgreSQL plans a search anew each time, because it trusts its
// estimate of how often a word occurs; planning takes longer than the search.
const plannedOnce = `${planning} -c plan_cache_mode=force_generic_plan`;

// A generic plan cannot tell which server of a cluster a statement goes to. A transaction that has read a copied table may not
// write to several servers in parallel.
const onCluster = `${planning} -c citus.multi_shard_modify_mode=sequential`;

// After a crash PostgreSQL restarts by itself and reuses some transaction ids, so what is written then gets a new epoch. All
// connections are new after a crash.
const epochFirst: Statement = { text: "call begin_event_epoch()", values: [] };

export function openDatabase(options: PoolOptions): PostgresDatabase {
  const limits = limitsOf(options);
  const direct = {
    connectionString: options.url,
    pipeline: true,
    options: `${limits} ${options.spread ? onCluster : planning}${options.rls ? ` -c role=${appRole}` : ""}`,
    connectionTimeoutMillis: 1500,
    application_name: "headwater",
    keepAlive: true,
  };
  const pooled = options.pooler ? pooledConfig(direct, options.pooler) : null;
  const config = pooled ?? direct;
  const settings = pooled === null ? [] : [settingsOf(direct.options)];
  const onError = options.onError ?? (() => {});
  const cores = availableParallelism();
  const isAlive = () => !pulse.isSilent;
  const first = pooled === null ? epochFirst : null;
  const own = new Share(config, options.own ?? { connections: 16, heavy: 4 }, onError, { first, isAlive });
  // Reads of any size get about as many connections as there are likely to be cores, and never those that writes wait for.
  const reads = new Share(config, { connections: cores + 4, heavy: cores + 1 }, onError, { isAlive });
  const sharedOf = (more: string, size: { count: number; depth: number }) =>
    options.rls || pooled !== null ? null : new SharedReads({ ...config, options: `${limits} ${more}` }, size, onError, isAlive);
  const count = options.readConnections ?? 8;
  // Also where they are not pipelined they have connections of their own: a transaction that reads besides must not wait for others.
  const single =
    sharedOf(byIndexOnly, { count, depth: Number.POSITIVE_INFINITY }) ??
    new Share(config, { connections: count, heavy: Math.ceil(count / 2) }, onError, { isAlive });
  // Searches differ in length, so only a few queue on one connection. There are about as many connections as cores.
  const searches = sharedOf(options.spread ? onCluster : plannedOnce, { count: Math.max(4, cores), depth: 4 });
  const all = [own, reads, single, searches].filter((one) => one !== null);
  // Connects without the role that owns nothing, which may not cancel statements of the connecting user.
  const pulse = new Pulse(
    { ...direct, options: limits },
    () => all.some((one) => one.isBusy),
    () => all.forEach((one) => one.breakAll()),
  );

  const replica = options.replica
    ? new Replica(
        { ...direct, connectionString: options.replica.url },
        { connections: cores + 4, heavy: cores + 1 },
        options.replica.lagSeconds * 1000,
        () => pulse.ask({ text: position, values: [] }),
        onError,
      )
    : null;

  const scoped = (organizationId: string | null, statement: Statement) => (client: pg.ClientBase) => {
    const first = [...(isPooled(client) ? settings : []), ...(options.rls ? [enter(organizationId)] : [])];
    if (first.length === 0) return run(client, statement);
    sendTogether(client);
    for (const one of [{ text: "begin", values: [] }, ...first]) run(client, one).catch(() => {});
    return run(client, statement).finally(() => run(client, { text: "commit", values: [] }).catch(() => {}));
  };
  // What a connection of our own was asked when it was new.
  const begun = pooled === null ? plainBegin : [...plainBegin, ...settings, epochFirst];
  const committed = (organizationId: string, statement: Statement) => async (client: pg.ClientBase) => {
    if (!options.rls && pooled === null) return run(client, statement);
    sendTogether(client);
    const entered = options.rls ? [enter(organizationId)] : [];
    const all = [...begun, ...entered, statement].map((one) => run(client, one));
    const [done, ...sent] = await Promise.allSettled([commit(client), ...all]);
    const failed = [...sent, done].find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return all.at(-1)!;
  };
  const cancel = (client: pg.ClientBase) =>
    void (pooled === null ? pulse.cancel(client) : cancelThrough(pooled, client)).catch(onError);
  const transaction = <T>(organizationId: string | null, work: (tx: Transaction) => Promise<T>, asker: Asker | null) => {
    return retried(() => own.use(asker, (client) => inTransaction(client, options.rls, organizationId, work, begun)));
  };
  const query = (organizationId: string, statement: Statement, asker: Asker | null) => {
    asker?.stepAside();
    return reads.use(asker, scoped(organizationId, statement), cancel);
  };
  const read = (organizationId: string | null, statement: Statement, asker: Asker | null) =>
    single instanceof Share ? single.use(asker, scoped(organizationId, statement)) : single.read(statement);
  const flights = openFlights(transaction);
  const refused = () => Promise.reject(unavailable());

  // While the database is silent, each of these refuses at once.
  return {
    rowSecurity: options.rls,
    read(organizationId, statement, asker = null) {
      if (pulse.isSilent) return refused();
      return read(organizationId, statement, asker);
    },
    search(organizationId, statement, asker = null) {
      if (pulse.isSilent) return refused();
      return searches ? searches.read(statement, asker) : query(organizationId, statement, asker);
    },
    query: (organizationId, statement, asker = null) => (pulse.isSilent ? refused() : query(organizationId, statement, asker)),
    async report(organizationId, statement, asker = null) {
      if (pulse.isSilent) return refused();
      const copied = await replica?.read(asker, scoped(organizationId, statement));
      return copied ?? { rows: await query(organizationId, statement, asker), asOf: null };
    },
    transaction: (organizationId, work, asker = null) => (pulse.isSilent ? refused() : flights(organizationId, work, asker)),
    once: (organizationId, statement) =>
      pulse.isSilent ? refused() : retried(() => own.use(null, committed(organizationId, statement))),
    snapshot(organizationId, work) {
      if (pulse.isSilent) return refused();
      const begin = [snapshotBegin, ...settings, patience(options.version ?? 0)];
      return own.use(null, (client) => inTransaction(client, options.rls, organizationId, work, begin));
    },
    unscoped(statement) {
      if (pulse.isSilent) return refused();
      return read(null, statement, null);
    },
    unscopedTransaction: (work) => (pulse.isSilent ? refused() : transaction(null, work, null)),
    askServer: (statement) => pulse.ask(statement),
    usage: () => sumOf(all.map((one) => one.usage())),
    async ping(timeoutMs) {
      const answer = pulse.ask({ text: "select 1", values: [] });
      answer.catch(() => {});
      await Promise.race([answer, new Promise((_, reject) => setTimeout(reject, timeoutMs, unavailable()).unref())]);
    },
    async close() {
      await Promise.all([replica?.close(), pulse.close(), ...all.map((one) => one.close())]);
    },
  };
}

const sumOf = (usages: readonly Usage[]): Usage => {
  const sum = (of: keyof Usage) => usages.reduce((all, one) => all + one[of], 0);
  return { total: sum("total"), idle: sum("idle"), waiting: sum("waiting") };
};
