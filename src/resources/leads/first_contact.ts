// A lead without a name shows the name of its first contact, which is the oldest one.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { emit } from "../../records/event.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { lead } from "./lead.ts";

/** Call it after contacts were added, removed or renamed. Updates the shown names of leads without a name. */
export async function nameAfterContacts(ctx: Ctx, leadIds: readonly string[]): Promise<void> {
  const unnamed = await lockToChange(ctx, lead, sql`t.id = any(${leadIds}) and t.name is null`);
  if (unnamed.length === 0) return;
  const names = await firstContactNames(ctx, leadIds);
  for (const before of unnamed) rename(ctx, before, names.get(before.id) ?? null);
}

function rename(ctx: Ctx, before: Row<typeof lead>, first_contact_name: string | null): void {
  if (first_contact_name === before.first_contact_name) return;
  const values = { first_contact_name, date_updated: ctx.now.toISOString() };
  const after = store.update(ctx, lead, before, values, undefined, null);
  if (after.display_name !== before.display_name)
    emit(ctx, lead, { action: "updated", before, after, changed: ["display_name"] });
}

/** The name of the first contact of each of these leads. */
export async function firstContactNames(ctx: Ctx, leadIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await query(
    ctx,
    statement(sql`select distinct on (c.lead_id) c.lead_id, c.display_name from contact c
      where c.organization_id = ${ctx.organization_id} and c.lead_id = any(${leadIds}) order by c.lead_id, c.date_created, c.id`),
  );
  return new Map(rows.map(([id, name]) => [id!, name!]));
}
