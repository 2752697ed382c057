// What the items of one transaction write leaves together: a statement for 200 rows costs a fraction of 200 statements.
import type { Ctx } from "../../core/context.ts";
import { transactionOf } from "../../core/context.ts";
import type { Statement } from "../../db/database.ts";
import { isEvent, writeEvents } from "../../records/event.ts";

export interface Together {
  /** Takes what one item writes, in its order. */
  add(statements: readonly Statement[]): void;
  /** Sends everything but events, which nobody reads within the transaction. */
  send(): void;
  /** Sends the rest. */
  end(): void;
}

/** So many leave at once, so that PostgreSQL writes some while others are prepared. */
const most = 50;

/** Items leave together as long as they write the same columns of the same tables in the same order, each to rows of its own. */
export function openTogether(ctx: Ctx): Together {
  const { write } = transactionOf(ctx);
  let events: Statement[] = [];
  const rows = new Set<string>();
  let items: (readonly Statement[])[] = [];

  const send = () => {
    items[0]?.forEach((_, place) => write(joined(items.map((one) => one[place]!))));
    items = [];
    rows.clear();
  };
  const sendEvents = () => {
    writeEvents(ctx, events);
    events = [];
  };
  return {
    add(statements) {
      // Events of one record keep their order, so either all of them wait or none.
      const waits = statements.every((one) => isEvent(one) || !one.name?.startsWith("event."));
      const own = waits ? statements.filter((one) => !isEvent(one)) : statements;
      if (waits) events.push(...statements.filter(isEvent));
      if (events.length >= most) sendEvents();
      if (own.length === 0) return;
      const ids = own.map(({ one }) => one?.row.id ?? "");
      if (ids.some((id) => rows.has(id)) || !alike(own, items[0] ?? own)) send();
      items.push(own);
      for (const id of ids) rows.add(id);
      if (items.length === most) send();
    },
    send,
    end() {
      send();
      sendEvents();
    },
  };
}

const alike = (some: readonly Statement[], others: readonly Statement[]): boolean =>
  some.length === others.length &&
  some.every(({ name, one }, place) => one !== undefined && name !== undefined && name === others[place]!.name);

const joined = (statements: readonly Statement[]): Statement =>
  statements.length === 1 ? statements[0]! : statements[0]!.one!.join(statements.map(({ one }) => one!.row));
