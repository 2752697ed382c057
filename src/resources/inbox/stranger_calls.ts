// Calls of people who are not contacts. Each is a message of a prospect, and shows its result. When the prospect is converted,
// its calls become records.
import { type Ctx, query } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { inboxProspect } from "./inbox_prospect.ts";
import { receiveFromStranger } from "./receive.ts";
import type { StrangerCall } from "./stranger_call.ts";

/** Returns the prospect's id. */
export async function strangerCalls(ctx: Ctx, call: StrangerCall): Promise<string> {
  const { id } = await receiveFromStranger(ctx, {
    channel: "call",
    name: call.phone === null ? "Unknown caller" : null,
    email: null,
    phone: call.phone,
    subject: null,
    body_text: `Called ${call.local_phone}`,
    received_at: ctx.now.toISOString(),
    message: { ...call, to: call.local_phone },
    user_id: call.is_to_group_number ? null : call.user_id,
  });
  return id;
}

export interface KnownStranger {
  prospect_id: string;
  call: StrangerCall;
}

/** The stranger's call with this id at the provider. In a transaction it is locked. */
export async function strangerOf(ctx: Ctx, provider_id: string): Promise<KnownStranger | null> {
  const [row] = await query(ctx, {
    name: "prospect_call.find",
    text: `select prospect_id, message from prospect_message
           where organization_id = $1 and provider_id = $2 ${ctx.tx === null ? "" : "for no key update"}`,
    values: [ctx.organization_id, provider_id],
  });
  return row === undefined ? null : { prospect_id: row[0]!, call: JSON.parse(row[1]!) };
}

/** Stores the result in the message, and in the prospect, which shows its newest message. */
export async function strangerGoesOn(
  ctx: Ctx,
  { prospect_id, provider_id }: Pick<StrangerCall, "provider_id"> & { prospect_id: string },
  values: Partial<StrangerCall>,
): Promise<StrangerCall> {
  const [row] = await query(ctx, {
    name: "prospect_call.update",
    text: `update prospect_message set message = message || $3::jsonb where organization_id = $1 and provider_id = $2 returning message`,
    values: [ctx.organization_id, provider_id, JSON.stringify(values)],
  });
  const message = JSON.parse(row![0]!) as StrangerCall;
  const everybodys = { ...inboxProspect, visible: undefined };
  const [prospect] = await findRecords(ctx, everybodys, [sql`t.id = ${prospect_id}`], sql`for no key update of t`);
  if (prospect?.message.provider_id === provider_id) store.update(ctx, inboxProspect, prospect, { message }, undefined, null);
  return message;
}
