// Updates deals when the type of their status changes: they are won, lost or reopened.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { refreshDirectory } from "../../records/change.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { opportunity } from "./opportunity.ts";
import type { opportunityStatus } from "./opportunity_status.ts";
import { datesOf } from "./opportunity_verbs.ts";

type Status = Row<typeof opportunityStatus>;

interface Change {
  before: Status;
  after: Status;
}

/** Sets the dates of deals whose status has changed its type. */
export async function dateDeals(ctx: Ctx, changes: readonly Change[]): Promise<void> {
  const changed = changes.filter(({ before, after }) => before.type !== after.type);
  if (changed.length === 0) return;
  // The events of the deals show the new meaning of the status.
  await refreshDirectory(ctx);
  for (const change of changed) await dateDealsOf(ctx, change);
}

const page = 200;

async function dateDealsOf(ctx: Ctx, { before, after }: Change): Promise<void> {
  for (let last = ""; ; ) {
    const deals = await lockWhere(ctx, opportunity, sql`t.status_id = ${after.id} and t.id > ${last}`, page);
    for (const deal of deals) store.update(ctx, opportunity, deal, datesOf(ctx, before.type, after.type, deal));
    if (deals.length < page) return;
    last = deals.at(-1)!.id;
  }
}
