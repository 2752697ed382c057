// A consumer of the log reads the events of each organization in the order of their commits, each once. What it writes and its
// position commit together.
import { type Ctx, transactionOf, write } from "../core/context.ts";
import type { TextRow } from "../db/database.ts";

export interface Consumer {
  name: string;
  /** One sentence for operators. */
  doc: string;
  /** Runs in the transaction that moves the position, in the organization of the events. It calls nothing outside. */
  consume(ctx: Ctx, events: readonly LogEntry[]): Promise<void>;
}

/** What every consumer needs to know about an event. Further values are read by the event's id. */
export interface LogEntry {
  id: string;
  event: string;
  object_id: string;
  lead_id: string | null;
}

/** The most events of one transaction. */
const chunk = 1000;

/** From the next event on, an organization's events are consumed. Joins the transaction. A second call changes nothing. */
export function follow(ctx: Ctx, { name }: Pick<Consumer, "name">): void {
  write(ctx, {
    name: "consumer.follow",
    text: "insert into consumer (organization_id, name) values ($1, $2) on conflict (organization_id, name) do nothing",
    values: [ctx.organization_id, name],
  });
}

/** Consumes a part of the new events, unless another worker is doing so. Returns whether there may be more. */
export async function consumeSome(ctx: Ctx, consumer: Consumer): Promise<boolean> {
  const tx = transactionOf(ctx);
  const [place] = await tx.read({
    name: "consumer.place",
    text: `select cursor_epoch, cursor_position, cursor_seq from consumer where organization_id = $1 and name = $2 for update skip locked`,
    values: [ctx.organization_id, consumer.name],
  });
  if (place === undefined) return false;
  const rows = await tx.read(entriesAfter(ctx.organization_id, place));
  const horizon = rows.find((row) => row[3] === null)!;
  const entries = rows.filter((row) => row !== horizon);
  if (entries.length > 0) await consumer.consume(ctx, entries.map(entryOf));
  const isAll = entries.length < chunk;
  const [epoch, position, seq] = isAll ? [horizon[0], horizon[1], "0"] : entries.at(-1)!;
  write(ctx, {
    name: "consumer.move",
    text: `update consumer set cursor_epoch = $3, cursor_position = $4, cursor_seq = $5 where organization_id = $1 and name = $2`,
    values: [ctx.organization_id, consumer.name, epoch, position, seq],
  });
  return !isAll;
}

/** A row without an event is the horizon: whatever commits later is above it. */
const entriesAfter = (organizationId: string, place: TextRow) => ({
  name: "consumer.entries",
  text: `with head as materialized (select epoch, pg_snapshot_xmin(pg_current_snapshot())::text::bigint as position from event_epoch)
    select epoch, position, null, null, null, null, null from head
    union all
    (select e.epoch, e.position, e.seq, e.id, e.event, e.object_id, e.lead_id from event e
     where e.organization_id = $1 and (e.epoch, e.position, e.seq) > ($2::bigint, $3::bigint, $4::bigint)
       and (e.epoch, e.position) < ((select epoch from head), (select position from head))
     order by e.epoch, e.position, e.seq limit ${chunk})`,
  values: [organizationId, ...place],
});

const entryOf = (row: TextRow): LogEntry => ({ id: row[3]!, event: row[4]!, object_id: row[5]!, lead_id: row[6]! });
