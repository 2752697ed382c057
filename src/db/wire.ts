// One connection: how statements are sent on it, and what its errors mean.
import pg from "pg";
import { unavailable } from "../core/errors.ts";
import { isRecorded, traced, type Work } from "../values/traced.ts";
import type { Rows, Statement } from "./database.ts";
import { PipelinedStatement, rowsOf } from "./pipelined_statement.ts";
import { asToldByOneServer } from "./shard_errors.ts";

export const run = (client: pg.ClientBase, statement: Statement): Promise<Rows> =>
  isRecorded() ? traced(statementWork(statement), () => send(client, statement)) : send(client, statement);

/** The text has parameters in place of values, except where somebody else wrote it; the name is enough. */
const statementWork = ({ name, text }: Statement): Work => ({
  name: name ?? /^\w+/.exec(text.trimStart())?.[0] ?? "statement",
  kind: "client",
  attributes: { "db.system.name": "postgresql" },
});

function send(client: pg.ClientBase, statement: Statement): Promise<Rows> {
  return new Promise((resolve, reject) => {
    client.query(
      new PipelinedStatement(forClient(client, statement), (error, query) =>
        error ? reject(asProblem(error, statement.text)) : resolve(rowsOf(query)),
      ) as unknown as pg.Query,
    );
  });
}

/** The client leads to a pooler in transaction mode: what was prepared may be on another connection. */
export const isPooled = (client: pg.ClientBase): boolean => (client as { pooled?: boolean }).pooled === true;

/** What can be sent on it. */
export const forClient = (client: pg.ClientBase, statement: Statement): Statement =>
  isPooled(client) ? { ...statement, name: "" } : statement;

/** A client for such a pooler. */
export class PooledClient extends pg.Client {
  readonly pooled = true;
}

interface Wire {
  connection: { stream: { cork(): void; uncork(): void; destroy(): void } };
}

const streamOf = (client: pg.ClientBase) => (client as unknown as Wire).connection.stream;

/** Breaks the connection, so that everything sent on it fails. */
export const disconnect = (client: pg.ClientBase): void => streamOf(client).destroy();

/** Sends the statements of this turn of the event loop in one packet, then calls `sent`. */
export function sendTogether(client: pg.ClientBase, sent?: () => void): void {
  const stream = streamOf(client);
  stream.cork();
  setImmediate(() => {
    stream.uncork();
    sent?.();
  });
}

// Errors of the connection rather than of the statement: the server is down, shutting down or starting, or has ended a long
// transaction together with its connection.
const lost = /^(08|57P0[123]|25P0[34]|53300)|^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT)/;

export function isLost(error: unknown): boolean {
  const { code, status } = error as { code?: string; status?: number };
  return status === 503 || (typeof code === "string" && lost.test(code));
}

/** A time limit of a statement or of a wait for a lock. */
const late: ReadonlySet<string> = new Set(["57014", "55P03"]);

export const isLate = (error: unknown): boolean => late.has((error as { code?: string }).code ?? "");

/** The server has no room on its disk, no memory, or cannot read or write. */
const out = /^(53[012]00|58030)$/;

/** The refusal that an error means. `text` is the statement that failed. */
export function asProblem(error: Error, text?: string): Error {
  const code = (error as { code?: string }).code;
  if (code === undefined && /not queryable|Connection terminated|was closed/.test(error.message)) return unavailable();
  if (code !== undefined && lost.test(code)) return unavailable();
  // This is load and not a defect.
  if (isLate(error)) return Object.assign(unavailable(2), { code });
  // Until somebody makes room. The log says so.
  if (code !== undefined && out.test(code)) return Object.assign(unavailable(10), { cause: error });
  return asToldByOneServer(error, text);
}
