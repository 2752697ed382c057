// The items of a mailing export: whom it covers, and what became of each.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { selectAudience } from "./audience.ts";

export interface Item {
  ord: number;
  contact_id: string;
  status: "pending" | "sending";
  /** Of an item that is `sending`. */
  address: string | null;
}

export const itemStates = ["pending", "sending", "pushed", "skipped", "failed"] as const;

/** What an item becomes. */
export interface Mark {
  ord: number;
  status: (typeof itemStates)[number];
  address?: string;
  error?: string;
}

/** Writes the items, as the export's author sees its audience now. Who is created later does not join. */
export async function takeAudience(ctx: Ctx, { id, filters }: { id: string; filters: unknown }): Promise<void> {
  await transactionOf(ctx).read(
    statement(sql`insert into mailing_export_item (organization_id, mailing_export_id, ord, contact_id, date_created)
      select ${ctx.organization_id}, ${id}, f.ord, f.id, ${ctx.now}::timestamptz from (${await selectAudience(ctx, filters)}) f
      on conflict do nothing`),
  );
}

/** The batch that may have arrived, or else the next items, in their order. */
export async function nextItems(ctx: Ctx, exportId: string, most: number): Promise<Item[]> {
  for (const status of ["sending", "pending"] as const) {
    // The status is written out, because each has an index of its own.
    const rows = await transactionOf(ctx).read({
      name: `mailing_export_item.${status}`,
      text: `select ord, contact_id, address from mailing_export_item
             where organization_id = $1 and mailing_export_id = $2 and status = '${status}' order by ord limit $3`,
      values: [ctx.organization_id, exportId, status === "sending" ? null : most],
    });
    if (rows.length > 0)
      return rows.map(([ord, contact_id, address]) => ({
        ord: Number(ord),
        contact_id: contact_id!,
        status,
        address: address ?? null,
      }));
  }
  return [];
}

export function markItems(ctx: Ctx, exportId: string, marks: readonly Mark[]): void {
  if (marks.length === 0) return;
  write(ctx, {
    name: "mailing_export_item.mark",
    text: `update mailing_export_item t set status = m.status, address = m.address, error = m.error
           from json_to_recordset($3::json) m(ord int, status text, address text, error text)
           where t.organization_id = $1 and t.mailing_export_id = $2 and t.ord = m.ord`,
    values: [ctx.organization_id, exportId, JSON.stringify(marks)],
  });
}

/** Those of the addresses by which the platform knows other contacts of the export. */
export async function takenAddresses(ctx: Ctx, exportId: string, addresses: readonly string[]): Promise<Set<string>> {
  const rows = await transactionOf(ctx).read({
    name: "mailing_export_item.taken",
    text: `select address from mailing_export_item
           where organization_id = $1 and mailing_export_id = $2 and address = any($3) and status = 'pushed'`,
    values: [ctx.organization_id, exportId, addresses],
  });
  return new Set(rows.map(([address]) => address!));
}

/** The contacts that were taken, with their addresses, in their order: those after a place. */
export async function pushedItems(ctx: Ctx, exportId: string, after: number, most: number): Promise<Item[]> {
  const rows = await transactionOf(ctx).read({
    name: "mailing_export_item.pushed",
    text: `select ord, contact_id, address from mailing_export_item
           where organization_id = $1 and mailing_export_id = $2 and status = 'pushed' and ord > $3 order by ord limit $4`,
    values: [ctx.organization_id, exportId, after, most],
  });
  return rows.map(([ord, contact_id, address]) => ({
    ord: Number(ord),
    contact_id: contact_id!,
    status: "pending",
    address: address!,
  }));
}
