// Sends the events of one piece of work in one statement at its end: by themselves, they cost PostgreSQL more than all else that a
// received e-mail writes.
import { type Ctx, transactionOf } from "../core/context.ts";
import type { Statement, Transaction } from "../db/database.ts";
import { isEvent, writeEvents } from "./event.ts";

/** Nobody may read events within the transaction. What is tried within a savepoint sends its own at once. */
export async function withEventsTogether<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const outer = transactionOf(ctx);
  let waiting: Statement[] = [];
  let savepoints = 0;
  const send = () => {
    const events = waiting;
    waiting = [];
    writeEvents(ctx, events);
  };
  const heed = ({ text, name }: Statement) => {
    const begins = text.startsWith("savepoint ");
    // Events keep their order.
    if (begins || name?.startsWith("event.")) send();
    if (begins) savepoints++;
    if (/^(release|rollback to) savepoint /.test(text)) savepoints--;
  };
  const tx: Transaction = {
    ...outer,
    write(statement) {
      if (isEvent(statement) && savepoints === 0) return void waiting.push(statement);
      heed(statement);
      outer.write(statement);
    },
    read(statement) {
      heed(statement);
      return outer.read(statement);
    },
  };
  const result = await work({ ...ctx, tx });
  send();
  return result;
}
