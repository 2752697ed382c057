// Deletes a dialer with the leads it has. They are no records, so an undo finds them beside its row.
import { type Ctx, query, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { join, name, sql, statement } from "../../db/sql.ts";
import { notesOf } from "../../records/removal_notes.ts";
import { store } from "../../records/store.ts";
import { dialer } from "./dialer.ts";

type Dialer = Row<typeof dialer>;

export async function deleteDialer(ctx: Ctx, before: Dialer): Promise<void> {
  const noted = notesOf(ctx) === null ? before : Object.assign({ ...before }, { entries: await entriesOf(ctx, before) });
  await store.remove(ctx, dialer, [noted]);
}

/** Whoever was being called is called again. */
async function entriesOf(ctx: Ctx, { id }: Dialer): Promise<object[]> {
  const rows = await query(
    ctx,
    statement(
      sql`select row_to_json(e) from dialer_lead e where e.organization_id = ${ctx.organization_id} and e.dialer_id = ${id} order by e.position`,
    ),
  );
  return rows
    .map(([row]) => JSON.parse(row!))
    .map((one) => (one.state === "leased" || one.state === "dialing" ? { ...one, state: "pending", lease_until: null } : one));
}

/** Rows of dialers that are back get their leads back. */
export function bringEntriesBack(ctx: Ctx, rows: readonly object[]): void {
  const entries = rows.flatMap((row) => (row as { entries?: object[] }).entries ?? []);
  if (entries.length === 0) return;
  const keys = Object.keys(entries[0]!).filter((key) => key !== "organization_id");
  const columns = join(keys.map(name), ", ");
  write(
    ctx,
    statement(sql`insert into dialer_lead (organization_id, ${columns}) select ${ctx.organization_id}::text, ${columns}
      from json_populate_recordset(null::dialer_lead, ${JSON.stringify(entries)}::json)`),
  );
}
