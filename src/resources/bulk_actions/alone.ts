// Does one thing within a larger transaction. If it is refused, nothing of it stays, and the rest goes on.
import { type Ctx, transactionOf } from "../../core/context.ts";
import type { Statement, Transaction } from "../../db/database.ts";
import { noteWithin } from "../../records/removal_notes.ts";
import type { Together } from "./together.ts";

/** Runs `act`, whose writes leave with those of others when it is done. */
export async function alone<T>(ctx: Ctx, act: (ctx: Ctx) => Promise<T>, together: Together): Promise<T> {
  const outer = transactionOf(ctx);
  const held = heldBack(outer, together);
  const noted = noteWithin(outer, held.tx);
  try {
    const result = await act({ ...ctx, tx: held.tx });
    held.send();
    noted();
    return result;
  } catch (error) {
    held.takeBack();
    throw error;
  }
}

interface HeldBack {
  tx: Transaction;
  send(): void;
  takeBack(): void;
}

/** Most things are refused before anything is read back. So writes wait, and a savepoint is only needed when one may not wait. */
function heldBack(outer: Transaction, together: Together): HeldBack {
  const waiting: Statement[] = [];
  const after: (() => void)[] = [];
  let isOpen = false;
  const release = () => {
    for (const one of waiting.splice(0)) outer.write(one);
  };
  const open = () => {
    together.send();
    if (!isOpen) outer.write(savepoint);
    isOpen = true;
    release();
  };
  return {
    tx: {
      write: (statement) => void (isOpen ? outer.write(statement) : waiting.push(statement)),
      read(statement) {
        if (waiting.length > 0 || !isSelect.test(statement.text)) open();
        together.send();
        return outer.read(statement);
      },
      afterCommit: (act) => void after.push(act),
      actingFor(organizationId) {
        open();
        return outer.actingFor(organizationId);
      },
    },
    send() {
      if (isOpen) release();
      else together.add(waiting);
      if (isOpen) outer.write(releaseSavepoint);
      for (const act of after) outer.afterCommit(act);
    },
    takeBack() {
      if (!isOpen) return;
      outer.write(rollback);
      outer.write(releaseSavepoint);
    },
  };
}

/** Anything else may write. */
const isSelect = /^\s*select\b/i;

const savepoint: Statement = { text: "savepoint item", values: [], name: "savepoint" };
const rollback: Statement = { text: "rollback to savepoint item", values: [], name: "savepoint.rollback" };
const releaseSavepoint: Statement = { text: "release savepoint item", values: [], name: "savepoint.release" };
