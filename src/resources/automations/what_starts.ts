// What a simulation or a replay starts with: a stored event, a record as if something had happened to it, or a payload.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { sql } from "../../db/sql.ts";
import { findAnyRecord, findRecord, findRecords } from "../../records/records.ts";
import { event } from "../events/event.ts";
import { automationEvent } from "./automation_event.ts";
import { recordById } from "./facts.ts";
import type { Plan } from "./fields.ts";
import { byHand } from "./names.ts";
import { type Occurrence, readOccurrences } from "./occurrence.ts";
import { triggerTypes } from "./trigger_types.ts";

/** In a transaction: the event of the log, or what came in by webhook, by schedule or by hand. The caller must be able to see it. */
export async function storedEvent(ctx: Ctx, id: string): Promise<Occurrence> {
  const isSeen = (await findRecord(ctx, event, id)) !== null;
  const [found] = isSeen ? await readOccurrences(ctx, [id]) : [];
  const one = found ?? (await keptEvent(ctx, id));
  if (one === null) throw invalid({ event_id: "does not exist" });
  return one;
}

/** What automations received, also where the log does not have it any more. */
async function keptEvent(ctx: Ctx, id: string): Promise<Occurrence | null> {
  const [kept] = await findRecords(ctx, automationEvent, [sql`t.id = ${id}`]);
  if (kept === undefined) return null;
  const { type, object_type, object_id, lead_id, payload, created_by, date_created } = kept;
  const found = { ...nothing, id, event: type, object_type, object_id, lead_id, user_id: created_by, at: date_created };
  if (!withPayload.has(type)) return { ...found, record: payload };
  return { ...found, payload, record: (object_id === null ? null : await recordById(ctx, object_id)) ?? {} };
}

/** Events that keep what came with them. Of all others, the record is kept. */
const withPayload: ReadonlySet<string> = new Set(["webhook.received", byHand]);

const nothing: Omit<Occurrence, "id" | "event" | "at"> = {
  object_type: null,
  object_id: null,
  lead_id: null,
  user_id: null,
  api_key_id: null,
  record: {},
  previous: {},
  changed_fields: [],
  meta: {},
};

const triggers = new Map(triggerTypes.map((one) => [one.type, one]));

/** Whether the event is one that the trigger is about. */
export function startsWith({ trigger: { type, config } }: Pick<Plan, "trigger">, one: Occurrence): boolean {
  const of = triggers.get(type);
  const names = of?.byHand ? [byHand] : of?.clock ? ["schedule.tick"] : (of?.listens?.(config) ?? [type]);
  return names.includes(one.event) && of?.matches?.(config, one) !== false;
}

/** As if the trigger had met this record just now. */
export async function asIfFor(ctx: Ctx, { trigger: { type, config } }: Pick<Plan, "trigger">, id: string): Promise<Occurrence> {
  const found = await findAnyRecord(ctx, id);
  if (found === null) throw invalid({ record_id: "does not exist" });
  const wanted = config.object_type;
  if (wanted != null && found.of.name !== wanted && found.kind.name !== wanted)
    throw invalid({ record_id: `is not a ${String(wanted)}, which this automation is for` });
  const record = (await recordById(ctx, id))!;
  const { field, from, fields } = config as { field?: string; from?: unknown[]; fields?: string[] };
  const changed = type === "status.changed" ? "status_id" : type === "tag.changed" ? "tags" : field;
  return {
    ...nothing,
    id: null,
    event: triggers.get(type)?.listens?.(config)[0] ?? type,
    object_type: found.of.name,
    object_id: id,
    lead_id: found.of.name === "lead" ? id : ((record.lead_id as string | undefined) ?? null),
    user_id: ctx.actor.user_id,
    record,
    previous: changed === undefined ? {} : { [changed]: from?.[0] ?? null },
    changed_fields: changed === undefined ? (fields ?? []) : [changed],
    at: ctx.now.toISOString(),
  };
}

/** As if another service had sent this. */
export const asIfReceived = (ctx: Ctx, { trigger: { type } }: Pick<Plan, "trigger">): Occurrence => ({
  ...nothing,
  id: null,
  event: type,
  user_id: ctx.actor.user_id,
  at: ctx.now.toISOString(),
});
