// GET /mailing_export/{id}/items/: what became of each contact.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import { empty, sql, statement } from "../../db/sql.ts";
import { pageInput, pageOf, pageTo, readPage } from "../../records/page.ts";
import { getRecord } from "../../records/records.ts";
import { itemStates } from "./items.ts";
import { mailingExport } from "./mailing_export.ts";

const item = z.strictObject({
  ord: z.int().describe("Its place in the order of the export, from 1."),
  contact_id: z.string(),
  status: z
    .enum(itemStates)
    .describe("`sending` was given to the platform, which has not answered yet. `skipped` was left out, `failed` was refused."),
  address: z.string().nullable().describe("The e-mail address that the platform got."),
  error: z.string().nullable().describe("Why it was left out (a reason of `n_excluded`), or the platform's words."),
});

type Item = z.output<typeof item>;

export const listItems = operation({
  name: "mailing_export.items",
  method: "GET",
  path: "/mailing_export/{id}/items/",
  doc: "Lists the contacts of a mailing export in their order, with what became of each. They are kept for 37 days.",
  permission: "export",
  input: { id: z.string(), status: z.enum(itemStates).optional().describe("Only contacts with this status."), ...pageInput },
  output: pageOf(item),
  async run(ctx, { id, status, ...given }) {
    await getRecord(ctx, mailingExport, id);
    const filters = `${id} ${status}`;
    const { limit, skip, after } = readPage(given, filters);
    const found = await itemsOf(ctx, id, { status, after, limit: limit + 1, skip });
    const data = found.slice(0, limit);
    return pageTo(data, { has_more: found.length > limit, last: data.at(-1)?.ord }, filters);
  },
});

async function itemsOf(
  ctx: Ctx,
  exportId: string,
  { status, after, limit, skip }: { status: Item["status"] | undefined; after: number; limit: number; skip: number },
): Promise<Item[]> {
  const rows = await query(
    ctx,
    statement(sql`select ord, contact_id, status, address, error from mailing_export_item
      where organization_id = ${ctx.organization_id} and mailing_export_id = ${exportId} and ord > ${after}
        ${status === undefined ? empty : sql`and status = ${status}`} order by ord limit ${limit} offset ${skip}`),
  );
  return rows.map(([ord, contact_id, state, address, error]) => ({
    ord: Number(ord),
    contact_id: contact_id!,
    status: state as Item["status"],
    address: address ?? null,
    error: error ?? null,
  }));
}
