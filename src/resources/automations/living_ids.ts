// The ids of what an event is about, as far as these records still exist: a run refers to them.
import { type Ctx, transactionOf } from "../../core/context.ts";
import { findAnyRecord } from "../../records/records.ts";
import type { Occurrence } from "./occurrence.ts";

export interface LivingIds {
  object_id: string | null;
  lead_id: string | null;
  contact_id: string | null;
  opportunity_id: string | null;
}

export async function livingIds(ctx: Ctx, { object_id, object_type, lead_id, record }: Occurrence): Promise<LivingIds> {
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  const wanted = {
    lead_id: lead_id ?? text(record.lead_id),
    contact_id: object_type === "contact" ? object_id : text(record.contact_id),
    opportunity_id: object_type === "opportunity" ? object_id : text(record.opportunity_id),
  };
  const [row] = await transactionOf(ctx).read({
    name: "automation.living_ids",
    text: `select (select id from lead where organization_id = $1 and id = $2), (select id from contact where organization_id = $1 and id = $3),
             (select id from opportunity where organization_id = $1 and id = $4)`,
    values: [ctx.organization_id, wanted.lead_id, wanted.contact_id, wanted.opportunity_id],
  });
  const [lead, contact, opportunity] = row!;
  const own = { lead, contact, opportunity }[object_type ?? ""];
  const isThere = own === undefined ? object_id !== null && (await findAnyRecord(ctx, object_id)) !== null : own !== null;
  return { object_id: isThere ? object_id : null, lead_id: lead!, contact_id: contact!, opportunity_id: opportunity! };
}
