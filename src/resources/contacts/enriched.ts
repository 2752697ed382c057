// Notes on a contact what came of looking it up elsewhere.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { contact } from "./contact.ts";

/** The contact must be locked. */
export function noteEnriched(ctx: Ctx, before: Row<typeof contact>, status: "completed" | "no_match" | "failed"): void {
  const values = { enrichment_status: status, enriched_at: ctx.now.toISOString() };
  store.update(ctx, contact, before, values, undefined, status === "completed" ? "enriched" : "updated");
}
