// Stored files that name the person. What no reading can tell, such as a picture, is counted in the receipt.
import { type Ctx, query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { Missing } from "../../services/storage.ts";
import { isQuoteNaming } from "./quote_pdfs.ts";
import { type Found, lookInto } from "./readings/look_into.ts";
import type { Traces } from "./traces.ts";

export interface FileFound {
  id: string;
  is: Found;
}

/** Few, because each may have 20 MB. */
const most = 5;

/** Looks at the next files after an id. Does not belong in a transaction. */
export async function lookAtFiles(ctx: Ctx, after: string, traces: Traces): Promise<FileFound[]> {
  const rows = await query(
    ctx,
    statement(sql`select id, name, mime, storage_key, is_system from file
      where organization_id = ${ctx.organization_id} and id > ${after} order by id limit ${most}`),
  );
  const found: FileFound[] = [];
  for (const [id, name, mime, key, isOurs] of rows) {
    const isNamed = traces.isIn(name!) || (isOurs === "t" && (await isQuoteNaming(ctx, { id: id!, name: name! }, traces)));
    found.push({ id: id!, is: isNamed ? "named" : await lookAtBytes(ctx, key!, mime!, traces) });
  }
  return found;
}

/** These have no words that could be read. */
const unreadable = /^(?:image|audio|video)\/(?!.*\+xml$)/;

async function lookAtBytes(ctx: Ctx, key: string, mime: string, traces: Traces): Promise<Found> {
  if (unreadable.test(mime)) return "unread";
  try {
    const bytes = await ctx.settings.storage.read(key);
    return await lookInto(Buffer.concat(await bytes.toArray()), traces, { mime });
  } catch (error) {
    if (error instanceof Missing) return "clean";
    throw error;
  }
}
