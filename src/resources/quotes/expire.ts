// Stores that quotes have expired. Reads show the right status without it; the event `quote.expired` comes from here.
import { quotesNearTheirEnd } from "../../auth/unscoped.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { asService } from "../../records/public_route.ts";
import { lockWhere } from "../../records/references.ts";
import { newId } from "../../values/id.ts";
import { quote, stateNow } from "./quote.ts";
import { settled } from "./quote_states.ts";

/** Several processes may do this at once: each quote is locked, and looked at again. */
export async function expireQuotes(core: Core): Promise<void> {
  const now = core.clock();
  for (const { organization_id, id, created_by, expires_at } of await quotesNearTheirEnd(core.db, now)) {
    const directory = await core.directories.of(organization_id);
    if (stateNow(directory, "open", expires_at, { now }) === "open") continue;
    const request = { id: newId("req"), method: "", path: "" };
    await asService(core, organization_id, created_by, request, async (ctx) => {
      for (const found of await lockWhere(ctx, quote, sql`t.id = ${id}`)) await settled(ctx, found);
    });
  }
}
