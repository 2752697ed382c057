// A transaction: its statements leave without waiting for each other, and the first failure is what its caller is told.
import type pg from "pg";
import { unavailable } from "../core/errors.ts";
import type { Statement, Transaction } from "./database.ts";
import { PipelinedStatement } from "./pipelined_statement.ts";
import { appRole, systemRole } from "./roles.ts";
import { asProblem, forClient, run, sendTogether } from "./wire.ts";

/** Acts for an organization, as the policies require, or for null as the role that sees all. It ends with the transaction. */
export const enter = (organizationId: string | null): Statement => ({
  name: "enter",
  text: "select set_config('role', $1, true), set_config('app.organization_id', $2, true)",
  values: organizationId === null ? [systemRole, ""] : [appRole, organizationId],
});

export const plainBegin: readonly Statement[] = [{ text: "begin", values: [], name: "begin" }];
export const snapshotBegin: Statement = { text: "begin isolation level repeatable read read only", values: [] };

/** A snapshot waits for whoever writes down what it reads. It holds nobody up, because it writes nothing. */
export const patience = (version: number): Statement => ({
  text: `select set_config('statement_timeout', '60s', true), set_config('idle_in_transaction_session_timeout', '60s', true)
    ${version < 17 ? "" : ", set_config('transaction_timeout', '0', true)"}`,
  values: [],
});

export async function inTransaction<T>(
  client: pg.PoolClient,
  rls: boolean,
  organizationId: string | null,
  work: (tx: Transaction) => Promise<T>,
  begin: readonly Statement[],
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
export function commit(client: pg.ClientBase): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(
      new PipelinedStatement(forClient(client, { text: "commit", values: [], name: "commit" }), (error, query) => {
        if (error) reject(asProblem(error));
        else if (query.tag === "ROLLBACK") reject(new Error("the transaction was rolled back"));
        else resolve();
      }) as unknown as pg.Query,
    );
  });
}

const retryable = new Set(["40001", "40P01"]);

export async function retried<T>(work: () => Promise<T>): Promise<T> {
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
