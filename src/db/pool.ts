// Connections in shares, one share for each kind of work. Prepared reads and prepared searches are pipelined on a few connections
// each. A transaction holds a connection, and so does every other read. Reads have connections of their own, so that no write
// waits for them. Under row-level security every statement holds a connection.
import { availableParallelism } from "node:os";
import type pg from "pg";
import { unavailable } from "../core/errors.ts";
import type { Asker, Database, Rows, Statement, Transaction } from "./database.ts";
import { openFlights } from "./flights.ts";
import { longestMs } from "./horizon.ts";
import { PipelinedStatement } from "./pipelined_statement.ts";
import { Pulse } from "./pulse.ts";
import { position, Replica } from "./replica.ts";
import { appRole, systemRole } from "./roles.ts";
import { Share, type ShareSize, type Usage } from "./share.ts";
import { SharedReads } from "./shared_reads.ts";
import { asProblem, run, sendTogether } from "./wire.ts";

export interface PoolOptions {
  url: string;
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
  const isAlive = () => !pulse.isSilent;
  const own = new Share(config, options.own ?? { connections: 16, heavy: 4 }, onError, { first: epochFirst, isAlive });
  // Reads of any size get about as many connections as there are likely to be cores, and never those that writes wait for.
  const reads = new Share(config, { connections: cores + 4, heavy: cores + 1 }, onError, { isAlive });
  const sharedOf = (more: string, size: { count: number; depth: number }) =>
    options.rls ? null : new SharedReads({ ...config, options: `${limits} ${more}` }, size, onError, isAlive);
  const shared = sharedOf(byIndexOnly, { count: options.readConnections ?? 8, depth: Number.POSITIVE_INFINITY });
  // Searches differ in length, so only a few queue on one connection. There are about as many connections as cores.
  const searches = sharedOf(options.spread ? onCluster : plannedOnce, { count: Math.max(4, cores), depth: 4 });
  const all = [own, reads, shared, searches].filter((one) => one !== null);
  // Connects without the role that owns nothing, which may not cancel statements of the connecting user.
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
  const committed = (organizationId: string, statement: Statement) => async (client: pg.ClientBase) => {
    if (!options.rls) return run(client, statement);
    sendTogether(client);
    const all = [...plainBegin, enter(organizationId), statement].map((one) => run(client, one));
    const [done, ...sent] = await Promise.allSettled([commit(client), ...all]);
    const failed = [...sent, done].find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return all.at(-1)!;
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

  // While the database is silent, each of these refuses at once.
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
    once: (organizationId, statement) =>
      pulse.isSilent ? refused() : retried(() => own.use(null, committed(organizationId, statement))),
    snapshot(organizationId, work) {
      if (pulse.isSilent) return refused();
      const begin = [snapshotBegin, patience(options)];
      return own.use(null, (client) => inTransaction(client, options.rls, organizationId, work, begin));
    },
    unscoped(statement) {
      if (pulse.isSilent) return refused();
      return shared ? shared.read(statement) : own.use(null, scoped(null, statement));
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

/** Acts for an organization, as the policies require, or for null as the role that sees all. It ends with the transaction. */
const enter = (organizationId: string | null): Statement => ({
  name: "enter",
  text: "select set_config('role', $1, true), set_config('app.organization_id', $2, true)",
  values: organizationId === null ? [systemRole, ""] : [appRole, organizationId],
});

const plainBegin: readonly Statement[] = [{ text: "begin", values: [], name: "begin" }];
const snapshotBegin: Statement = { text: "begin isolation level repeatable read read only", values: [] };

/** A snapshot waits for whoever writes down what it reads. It holds nobody up, because it writes nothing. */
const patience = ({ version = 0 }: PoolOptions): Statement => ({
  text: `select set_config('statement_timeout', '60s', true), set_config('idle_in_transaction_session_timeout', '60s', true)
    ${version < 17 ? "" : ", set_config('transaction_timeout', '0', true)"}`,
  values: [],
});

async function inTransaction<T>(
  client: pg.PoolClient,
  rls: boolean,
  organizationId: string | null,
  work: (tx: Transaction) => Promise<T>,
  begin: readonly Statement[] = plainBegin,
): Promise<T> {
  const after: (() => void)[] = [];
  const sent: Promise<unknown>[] = [];
  let failure: unknown = null;
  let hasEnded = false;
  let isGathering = false;
  const send = (statement: Statement) => {
    // Each packet is a call of the system here and there.
    if (!isGathering) sendTogether(client, () => (isGathering = false));
    isGathering = true;
    // Code that goes on after another part has failed would write outside of the transaction, or into the next one.
    const answer = hasEnded ? Promise.reject(new Error("the transaction has ended")) : run(client, statement);
    // The first failure is the cause. Later ones only say that the transaction is aborted. Answers come in order, so a return to
    // a savepoint has undone every failure before it.
    answer.then(
      () => {
        if (statement.text.startsWith("rollback to ")) failure = null;
      },
      (error) => {
        failure ??= error;
      },
    );
    return answer;
  };

  for (const statement of begin) sent.push(send(statement));
  if (rls) sent.push(send(enter(organizationId)));
  const acting = (forOrganization: string | null): Transaction => {
    // All are queued in one turn of the event loop, so no other statement comes between the change of role and the statement it
    // is for.
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

/** Commits. PostgreSQL answers the commit of a failed transaction with `ROLLBACK` and no error; here that is a failure. */
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
