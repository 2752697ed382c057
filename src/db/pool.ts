// Connections in shares, one share for each kind of work. Prepared reads and prepared searches are pipelined on a few connections
// each. A transaction holds a connection, and so does every other read; reads have some of their own, so no write waits for them.
// Under row-level security everything holds one.
import { availableParallelism } from "node:os";
import type pg from "pg";
import { unavailable } from "../core/errors.ts";
import type { Asker, Database, Statement, Transaction } from "./database.ts";
import { openFlights } from "./flights.ts";
import { PipelinedStatement } from "./pipelined_statement.ts";
import { Pulse } from "./pulse.ts";
import { position, Replica } from "./replica.ts";
import { appRole, systemRole } from "./roles.ts";
import { Share, type ShareSize, type Usage } from "./share.ts";
import { SharedReads } from "./shared_reads.ts";
import { asProblem, run, sendTogether } from "./wire.ts";

export interface PoolOptions {
  url: string;
  /** Every connection acts as a role that owns nothing, from its beginning on, so that row-level security holds. */
  rls: boolean;
  /** The tables are spread over several servers. */
  spread?: boolean;
  /** A copy that follows the database, and how far behind it may be to be asked. */
  replica?: { url: string; lagSeconds: number } | null;
  readConnections?: number;
  /** The connections of transactions. */
  own?: ShareSize;
  onError?: (error: Error) => void;
}

export interface PostgresDatabase extends Database {
  /** For what happens before there is an organization, or to all of them. */
  unscopedTransaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>;
  usage(): Usage;
}

const limits = "-c statement_timeout=10000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=15000 -c timezone=UTC";
// What is asked often lies in memory, where a page elsewhere costs hardly more than the next: with the default of 4, meant for
// disks that turn, a search for 400 of 200,000 leads reads an index through rather than 400 places of another (15 ms for 1).
// Compiling a statement takes longer than any of ours should run.
const planning = "-c random_page_cost=1.1 -c jit=off";

// Bounded reads are planned for any organization: without this, the plan for the average one (a bitmap of all its rows, sorted)
// would serve the largest. Every statement that comes here is answered in index order.
const byIndexOnly = "-c enable_sort=off -c enable_seqscan=off -c enable_bitmapscan=off";

// A statement that is prepared is one whose plan fits all values. Left to itself PostgreSQL plans a search anew each time, because it
// takes its guess of how often a word occurs for knowledge; that takes longer than to run it.
const plannedOnce = `${planning} -c plan_cache_mode=force_generic_plan`;

// Of a statement planned once for all values nobody can tell to which server it goes. A transaction that has read what is copied to all
// servers may not write to many of them side by side.
const onCluster = `${planning} -c citus.multi_shard_modify_mode=sequential`;

// After a crash PostgreSQL goes on by itself, and uses some counts of transactions again: what is written then belongs to an epoch of
// its own. All connections are new after a crash.
const epochFirst: Statement = { text: "call begin_event_epoch()", values: [] };

export function openDatabase(options: PoolOptions): PostgresDatabase {
  const config = {
    connectionString: options.url,
    pipeline: true,
    options: `${limits} ${options.spread ? onCluster : planning}${options.rls ? ` -c role=${appRole}` : ""}`,
    connectionTimeoutMillis: 1500,
    application_name: "headwater",
    keepAlive: true,
  };
  const onError = options.onError ?? (() => {});
  const cores = availableParallelism();
  const own = new Share(config, options.own ?? { connections: 16, heavy: 4 }, onError, epochFirst);
  // What may read all there is runs on about as many as there are likely to be cores for, and never where a write would wait.
  const reads = new Share(config, { connections: cores + 4, heavy: cores + 1 }, onError);
  const sharedOf = (more: string, size: { count: number; depth: number }) =>
    options.rls ? null : new SharedReads({ ...config, options: `${limits} ${more}` }, size, onError);
  const shared = sharedOf(byIndexOnly, { count: options.readConnections ?? 8, depth: Number.POSITIVE_INFINITY });
  // Searches differ in length, so few wait behind one; and as many run at once as there are likely to be cores for.
  const searches = sharedOf(options.spread ? onCluster : plannedOnce, { count: Math.max(4, cores), depth: 4 });
  const all = [own, reads, shared, searches].filter((one) => one !== null);
  // Not as the role that owns nothing: it may not cancel what the connecting one has begun.
  const pulse = new Pulse(
    { ...config, options: limits },
    () => all.some((one) => one.isBusy),
    () => all.forEach((one) => one.breakAll()),
  );

  const replica = options.replica
    ? new Replica(
        { ...config, connectionString: options.replica.url },
        { connections: cores + 4, heavy: cores + 1 },
        options.replica.lagSeconds * 1000,
        () => pulse.ask({ text: position, values: [] }),
        onError,
      )
    : null;

  const scoped = (organizationId: string | null, statement: Statement) => (client: pg.ClientBase) => {
    if (!options.rls) return run(client, statement);
    sendTogether(client);
    run(client, { text: "begin", values: [] }).catch(() => {});
    run(client, enter(organizationId)).catch(() => {});
    return run(client, statement).finally(() => run(client, { text: "commit", values: [] }).catch(() => {}));
  };
  const cancel = (client: pg.ClientBase) => void pulse.cancel(client).catch(onError);
  const transaction = <T>(organizationId: string | null, work: (tx: Transaction) => Promise<T>, asker: Asker | null) => {
    return retried(() => own.use(asker, (client) => inTransaction(client, options.rls, organizationId, work)));
  };
  const query = (organizationId: string, statement: Statement, asker: Asker | null) => {
    asker?.stepAside();
    return reads.use(asker, scoped(organizationId, statement), cancel);
  };
  const flights = openFlights(transaction);
  const refused = () => Promise.reject(unavailable());

  // Asked of a silent database, each of these is refused at once.
  return {
    rowSecurity: options.rls,
    read(organizationId, statement, asker = null) {
      if (pulse.isSilent) return refused();
      return shared ? shared.read(statement) : own.use(asker, scoped(organizationId, statement));
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
    unscoped(statement) {
      if (pulse.isSilent) return refused();
      return shared ? shared.read(statement) : own.use(null, scoped(null, statement));
    },
    unscopedTransaction: (work) => (pulse.isSilent ? refused() : transaction(null, work, null)),
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

/** Acts for an organization, which the policies of its role ask for, or for null as the role that sees all. It lasts as long as the transaction. */
const enter = (organizationId: string | null): Statement => ({
  name: "enter",
  text: "select set_config('role', $1, true), set_config('app.organization_id', $2, true)",
  values: organizationId === null ? [systemRole, ""] : [appRole, organizationId],
});

async function inTransaction<T>(
  client: pg.PoolClient,
  rls: boolean,
  organizationId: string | null,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const after: (() => void)[] = [];
  const sent: Promise<unknown>[] = [];
  let failure: unknown = null;
  let hasEnded = false;
  const send = (statement: Statement) => {
    // A part that goes on when another has failed would write outside of the transaction, or into the next one's.
    const answer = hasEnded ? Promise.reject(new Error("the transaction has ended")) : run(client, statement);
    // The first failure is the cause; those behind it only say that the transaction is aborted.
    answer.catch((error) => {
      failure ??= error;
    });
    return answer;
  };

  sendTogether(client);
  sent.push(send({ text: "begin", values: [], name: "begin" }));
  if (rls) sent.push(send(enter(organizationId)));
  const acting = (forOrganization: string | null): Transaction => {
    // Statements are queued in one turn, so nobody else's come between those that change sides and the one they are for.
    const sendThere = (statement: Statement) => {
      if (!rls || forOrganization === organizationId) return send(statement);
      sent.push(send(enter(forOrganization)));
      const answer = send(statement);
      sent.push(send(enter(organizationId)));
      return answer;
    };
    return {
      write: (statement) => void sent.push(sendThere(statement)),
      read: (statement) => sendThere(statement).catch((error) => Promise.reject(failure ?? error)),
      afterCommit: (act) => void after.push(act),
      actingFor: acting,
    };
  };
  try {
    const result = await work(acting(organizationId));
    hasEnded = true;
    await commit(client);
    if (failure !== null) throw failure;
    for (const act of after) act();
    return result;
  } catch (error) {
    hasEnded = true;
    await run(client, { text: "rollback", values: [], name: "rollback" }).catch(() => {});
    await Promise.allSettled(sent);
    throw failure ?? error;
  }
}

/** A commit of a failed transaction is answered `ROLLBACK`, without an error: that is a failure too. */
function commit(client: pg.ClientBase): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(
      new PipelinedStatement({ text: "commit", values: [], name: "commit" }, (error, query) => {
        if (error) reject(asProblem(error));
        else if (query.tag === "ROLLBACK") reject(new Error("the transaction was rolled back"));
        else resolve();
      }) as unknown as pg.Query,
    );
  });
}

const retryable = new Set(["40001", "40P01"]);

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!retryable.has((error as { code?: string }).code ?? "")) throw error;
      if (attempt === 3) throw Object.assign(unavailable(), { cause: error });
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
    }
  }
}
