// Texts that nobody wrote by hand, of sequences and automations, do not wake people up: they wait until it is day where their
// recipient is.
import { type Ctx, query } from "../../core/context.ts";
import { nextWithin, usualHours, zonesOf } from "../telephony/local_hours.ts";
import type { Text } from "./carried.ts";

interface Sent {
  automation_run_id: string | null;
  sequence_id: string | null;
}

/** When the text may leave. */
export async function awakeFrom(ctx: Ctx, text: Text): Promise<Date> {
  const { automation_run_id, sequence_id } = text as unknown as Sent;
  const isSms = text.channel === undefined;
  if (!isSms || text.remote_phone === null || (automation_run_id === null && sequence_id === null)) return ctx.now;
  const [row] = await query(ctx, {
    name: "text.whereabouts",
    text: `select c.timezone, l.addresses from lead l left join contact c on c.organization_id = $1 and c.id = $3
           where l.organization_id = $1 and l.id = $2`,
    values: [ctx.organization_id, text.lead_id, text.contact_id],
  });
  const [timezone = null, addresses] = row ?? [];
  const where = { timezone, addresses: JSON.parse(addresses ?? "[]"), phone: text.remote_phone };
  return nextWithin(usualHours, zonesOf(ctx, where), ctx.now);
}
