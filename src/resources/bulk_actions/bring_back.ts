// Brings deleted records back, with what belonged to them and what others have lost.
import type { Ctx } from "../../core/context.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { checkConstraints, deferConstraints } from "../../records/defer_constraints.ts";
import { lockToChange } from "../../records/references.ts";
import { notesOf, type Removal } from "../../records/removal_notes.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { nameAfterContacts } from "../leads/first_contact.ts";
import { countLinesAgain } from "../opportunities/line_item_verbs.ts";
import { bringEntriesBack } from "../telephony/dialer_deletion.ts";
import { withPresentEnds } from "./missing_ends.ts";

/** Returns in words what cannot be brought back. */
export async function bringBack(ctx: Ctx, { removed: all, lost }: Removal): Promise<string[]> {
  deferConstraints(ctx);
  const without = new Set<string>();
  const removed = await withPresentEnds(ctx, all, without);
  for (const { of, rows } of [...removed].reverse()) {
    const resource = ctx.registry.resource(of)!;
    const again = rows.flatMap((row) => asItComesBack(resource, row as Row<Resource>, without));
    if (again.length > 0) await store.bringBack(ctx, resource, again);
    if (of === "dialer") bringEntriesBack(ctx, again);
  }
  for (const one of lost) await giveBack(ctx, one);
  const leads = named(removed, "contact", "lead_id");
  if (leads.length > 0) await nameAfterContacts(ctx, leads);
  const back = new Set(named(removed, "opportunity", "id"));
  const deals = named(removed, "line_item", "opportunity_id").filter((id) => !back.has(id));
  if (deals.length > 0) await countLinesAgain(ctx, deals);
  await checkConstraints(ctx);
  return [...without];
}

const named = (removed: Removal["removed"], kind: string, key: string): string[] => [
  ...new Set(removed.flatMap(({ of, rows }) => (of === kind ? rows.map((row) => (row as Record<string, string>)[key]!) : []))),
];

/** Nothing that comes back sends or shares anything by itself. */
function asItComesBack(of: Resource, row: Row<Resource>, without: Set<string>): Row<Resource>[] {
  if (of.name === "automation_run" || of.name === "automation_step_run") {
    without.add("its runs of automations");
    return [];
  }
  if (row.share_id) {
    without.add("its sharing with other organizations");
    return [{ ...row, share_id: null, shared_at: null }];
  }
  if (of.name === "sequence_subscription" && row.status === "active") {
    without.add("its active subscriptions, which are paused");
    return [{ ...row, status: "paused", status_reason: "bulk-action", waiting_message_id: null }];
  }
  if (row.status === "outbox" || row.status === "scheduled") {
    without.add("its unsent messages, which are drafts");
    return [{ ...row, status: "draft" }];
  }
  return [row];
}

/** A record that stayed names the deleted one again, unless it names another by now. */
async function giveBack(ctx: Ctx, { of, id, was, is }: Removal["lost"][number]): Promise<void> {
  const resource = ctx.registry.resource(of)!;
  const [present] = await lockToChange(ctx, resource, sql`t.id = ${id}`);
  if (present === undefined) return;
  const kind = kindOf(resource, present);
  const values = Object.fromEntries(Object.entries(was).filter(([key]) => same(present[key], is[key])));
  // Events tell it of other records.
  if (kind.event === null)
    notesOf(ctx)?.lost.push({
      of,
      id,
      was: Object.fromEntries(Object.keys(values).map((key) => [key, present[key]])),
      is: values,
    });
  store.update(ctx, kind, present, values, undefined, kind.event === null ? null : "updated");
}
