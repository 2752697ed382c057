// Connections. Prepared reads share a few pipelined ones; everything else, and all there is under row-level security, holds one of
// its own for as long as it runs.
import { availableParallelism } from "node:os";
import pg from "pg";
import { unavailable } from "../core/errors.ts";
import type { Database, Rows, Statement, Transaction } from "./database.ts";
import { appRole, systemRole } from "./roles.ts";
import { rowsOf, TextQuery } from "./text_query.ts";

export interface PoolOptions {
  url: string;
  /** Every connection acts as a role that owns nothing, from its beginning on, so that row-level security holds. */
  rls: boolean;
  readConnections?: number;
  ownConnections?: number;
  onError?: (error: Error) => void;
}

export interface PostgresDatabase extends Database {
  /** For what happens before there is an organization, or to all of them. */
  unscopedTransaction<T>(run: (tx: Transaction) => Promise<T>): Promise<T>;
  usage(): Usage;
}

/** Open connections, those of them that nobody uses, and what waits for one. For the metrics. */
export interface Usage {
  total: number;
  idle: number;
  waiting: number;
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

export function openDatabase(options: PoolOptions): PostgresDatabase {
  const config = {
    connectionString: options.url,
    pipeline: true,
    options: `${limits} ${planning}${options.rls ? ` -c role=${appRole}` : ""}`,
    connectionTimeoutMillis: 1500,
    application_name: "headwater",
    keepAlive: true,
  };
  const onError = options.onError ?? (() => {});
  const own = new pg.Pool({ ...config, idleTimeoutMillis: 60_000, maxLifetimeSeconds: 1800, max: options.ownConnections ?? 16 });
  own.on("error", onError);
  own.on("connect", (client) => client.on("error", onError));
  const sharedOf = (more: string, size: { count: number; depth: number }) =>
    options.rls ? null : new SharedReads({ ...config, options: `${limits} ${more}` }, size, onError);
  const shared = sharedOf(byIndexOnly, { count: options.readConnections ?? 4, depth: Number.POSITIVE_INFINITY });
  // These differ in length, so few wait behind one; and as many run at once as there are likely to be cores for.
  const sorting = sharedOf(plannedOnce, { count: Math.max(4, availableParallelism()), depth: 4 });

  const scoped = (organizationId: string | null, statement: Statement) =>
    withClient(own, async (client) => {
      if (!options.rls) return run(client, statement);
      sendTogether(client);
      run(client, { text: "begin", values: [] }).catch(() => {});
      run(client, enter(organizationId)).catch(() => {});
      return run(client, statement).finally(() => run(client, { text: "commit", values: [] }).catch(() => {}));
    });

  return {
    rowSecurity: options.rls,
    read: (organizationId, statement) => (shared ? shared.read(statement) : scoped(organizationId, statement)),
    query(organizationId, statement) {
      return sorting && statement.name !== undefined ? sorting.read(statement) : scoped(organizationId, statement);
    },
    transaction: (organizationId, work) =>
      retried(() => withClient(own, (client) => inTransaction(client, options.rls, organizationId, work))),
    unscoped: (statement) => (shared ? shared.read(statement) : scoped(null, statement)),
    unscopedTransaction: (work) => retried(() => withClient(own, (client) => inTransaction(client, options.rls, null, work))),
    usage: () => sumOf([usageOf(own), ...[shared, sorting].flatMap((reads) => reads?.usage() ?? [])]),
    async ping(timeoutMs) {
      const answer = withClient(own, (client) => run(client, { text: "select 1", values: [] }));
      answer.catch(() => {});
      await Promise.race([answer, new Promise((_, reject) => setTimeout(reject, timeoutMs, unavailable()).unref())]);
    },
    async close() {
      await Promise.all([own.end(), shared?.close(), sorting?.close()]);
    },
  };
}

const usageOf = (pool: pg.Pool): Usage => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });

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

function run(client: pg.ClientBase, statement: Statement): Promise<Rows> {
  return new Promise((resolve, reject) => {
    client.query(
      new TextQuery(statement, (error, query) =>
        error ? reject(asProblem(error)) : resolve(rowsOf(query)),
      ) as unknown as pg.Query,
    );
  });
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (cause) {
    throw Object.assign(unavailable(), { cause });
  }
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(isLost(error));
    throw error;
  }
}

async function inTransaction<T>(
  client: pg.PoolClient,
  rls: boolean,
  organizationId: string | null,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const after: (() => void)[] = [];
  const sent: Promise<unknown>[] = [];
  let failure: unknown = null;
  const send = (statement: Statement) => {
    const answer = run(client, statement);
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
    await commit(client);
    if (failure !== null) throw failure;
    for (const act of after) act();
    return result;
  } catch (error) {
    await run(client, { text: "rollback", values: [], name: "rollback" }).catch(() => {});
    await Promise.allSettled(sent);
    throw failure ?? error;
  }
}

/** What is sent in this turn of the event loop leaves in one packet, and then calls. */
function sendTogether(client: pg.ClientBase, sent?: () => void): void {
  const { stream } = (client as unknown as { connection: { stream: { cork(): void; uncork(): void } } }).connection;
  stream.cork();
  setImmediate(() => {
    stream.uncork();
    sent?.();
  });
}

/** A commit of a failed transaction is answered `ROLLBACK`, without an error: that is a failure too. */
function commit(client: pg.ClientBase): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(
      new TextQuery({ text: "commit", values: [], name: "commit" }, (error, query) => {
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

// Errors of the connection rather than of the statement: the server is away, going away, or not up yet.
const lost = /^(08|57P0[123]|53300)|^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT)/;

function isLost(error: unknown): boolean {
  const { code, status } = error as { code?: string; status?: number };
  return status === 503 || (typeof code === "string" && lost.test(code));
}

function asProblem(error: Error): Error {
  const code = (error as { code?: string }).code;
  if (code === undefined && /not queryable|Connection terminated|was closed/.test(error.message)) return unavailable();
  if (code !== undefined && lost.test(code)) return unavailable();
  // A statement that hit its time limit, or waited too long for a lock, is load and not a defect.
  if (code === "57014" || code === "55P03") return unavailable(2);
  return error;
}

interface Slot {
  client: Promise<pg.Client> | null;
  ready: pg.Client | null;
  pending: number;
  /** What else is asked in this turn of the event loop joins what waits to be sent. */
  gathers: boolean;
}

/**
 * A few long-lived connections on which reads are pipelined: the answers come back in the order of the questions, and the next question
 * is there before an answer has left. At most `depth` at once on each; others wait for whichever is free first.
 */
class SharedReads {
  private readonly slots: readonly Slot[];
  private readonly depth: number;
  private readonly config: pg.ClientConfig;
  private readonly onError: (error: Error) => void;
  private readonly queue: ((slot: Slot) => void)[] = [];

  constructor(config: pg.ClientConfig, { count, depth }: { count: number; depth: number }, onError: (error: Error) => void) {
    this.config = config;
    this.depth = depth;
    this.onError = onError;
    this.slots = Array.from({ length: count }, () => ({ client: null, ready: null, pending: 0, gathers: false }));
  }

  usage(): Usage {
    const open = this.slots.filter((slot) => slot.ready !== null);
    return { total: open.length, idle: open.filter((slot) => slot.pending === 0).length, waiting: this.queue.length };
  }

  async read(statement: Statement): Promise<Rows> {
    let slot = this.leastBusy();
    if (slot.pending < this.depth) slot.pending++;
    else slot = await new Promise<Slot>((resolve) => this.queue.push(resolve));
    try {
      return await this.ask(slot, slot.ready ?? (await this.connect(slot)), statement);
    } finally {
      // Its place goes to who has waited longest.
      const next = this.queue.shift();
      if (next === undefined) slot.pending--;
      else next(slot);
    }
  }

  // Each write wakes PostgreSQL, often on the core that we still have something to do on: together, searches are a tenth faster.
  private ask(slot: Slot, client: pg.Client, statement: Statement): Promise<Rows> {
    if (!slot.gathers) {
      slot.gathers = true;
      sendTogether(client, () => {
        slot.gathers = false;
      });
    }
    return run(client, statement);
  }

  private leastBusy(): Slot {
    let slot = this.slots[0]!;
    for (const other of this.slots) if (other.pending < slot.pending) slot = other;
    return slot;
  }

  private connect(slot: Slot): Promise<pg.Client> {
    if (slot.client !== null) return slot.client;
    const client = new pg.Client(this.config);
    const forget = () => {
      slot.client = null;
      slot.ready = null;
    };
    client.on("error", (error) => {
      forget();
      this.onError(error);
    });
    client.on("end", forget);
    slot.client = client.connect().then(
      () => {
        slot.ready = client;
        return client;
      },
      () => {
        forget();
        client.end().catch(() => {});
        throw unavailable();
      },
    );
    return slot.client;
  }

  async close(): Promise<void> {
    await Promise.all(this.slots.map(async (slot) => (await slot.client?.catch(() => null))?.end()));
  }
}
