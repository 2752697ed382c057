// The PDFs of quotes, which the service makes of a quote's words. Nobody can search them, but the words are known.
import { type Ctx, query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { quote } from "../quotes/quote.ts";
import { documentOf } from "../quotes/quote_document.ts";
import type { Traces } from "./traces.ts";

/** Whether a file is the PDF of a quote that names the person, or did so when the PDF was made. */
export async function isQuoteNaming(ctx: Ctx, file: { id: string; name: string }, traces: Traces): Promise<boolean> {
  const number = file.name.replace(/(?:-signed)?\.pdf$/, "");
  const found = await findRecords(ctx, quote, [
    sql`(t.file_id = ${file.id} or t.signed_file_id = ${file.id} or t.number = ${number})`,
  ]);
  for (const each of found) {
    const document = await documentOf(ctx, each);
    if (traces.isIn(JSON.stringify(document)) || (await hasNamed(ctx, each.id, traces))) return true;
  }
  return false;
}

/** What a quote said before: a PDF of an earlier version stays when it is sent again. */
async function hasNamed(ctx: Ctx, id: string, traces: Traces): Promise<boolean> {
  const events = await query(
    ctx,
    statement(sql`select coalesce(data::text, '') || ' ' || coalesce(previous_data::text, '') from event
      where organization_id = ${ctx.organization_id} and object_id = ${id}`),
  );
  return events.some(([words]) => traces.isIn(words!));
}
