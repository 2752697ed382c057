// The last guard against loops: an automation that starts too often starts nothing for ten minutes, and is paused when that happens a
// third time within a day. One that starts too often for a single record is only refused for that record: anybody who may edit a record
// could stop it for all others otherwise.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { notify } from "../notifications/notify.ts";
import { adminsOf, isActiveMember } from "../organization/user.ts";
import type { Circuit } from "./fields.ts";
import type { Listener } from "./listeners.ts";
import { rule } from "./rule.ts";
import { workflow } from "./workflow.ts";

const openForMs = 10 * 60_000;
const [hourMs, dayMs] = [3_600_000, 86_400_000];
const tripsMost = 3;

/** Starts count from now on. */
export const closedCircuit = ({ now }: Ctx): Circuit => ({ until: null, reason: null, trips: [], since: now.toISOString() });

/** In the transaction of the consumer. Whoever owns the automation is told. */
export async function openCircuit(ctx: Ctx, listener: Listener): Promise<void> {
  const of = resourceOf(listener);
  const [found] = await lockToChange(ctx, of, sql`t.id = ${listener.automation_id}`);
  if (found === undefined) return;
  const now = ctx.now.toISOString();
  const trips = [...(found.circuit?.trips ?? []).filter((one) => Date.parse(one) > ctx.now.getTime() - dayMs), now];
  const until = new Date(ctx.now.getTime() + openForMs).toISOString();
  const circuit = { ...found.circuit, until, reason: "loop_rate", trips, since: now };
  const isPaused = trips.length >= tripsMost && found.status === "active";
  const values = isPaused ? ({ circuit, status: "paused", in_flight: "hold", paused_at: now } as const) : { circuit };
  store.update(ctx, of, found, values, undefined, isPaused ? "paused" : null);
  tell(ctx, found, {
    title: isPaused ? `${found.name} was paused because it runs too often` : `${found.name} starts nothing for ten minutes`,
    body: `It started more than 500 times in a minute. ${isPaused ? "It happened three times within a day: mend it and publish it again." : "It goes on after ten minutes."}`,
  });
}

/** Whoever owns the automation is told, once in an hour, of the first such record. */
export async function tellOfRecord(ctx: Ctx, listener: Listener, objectId: string): Promise<void> {
  const of = resourceOf(listener);
  const [found] = await lockToChange(ctx, of, sql`t.id = ${listener.automation_id}`);
  const told_at = found?.circuit?.told_at;
  if (found === undefined || (told_at != null && Date.parse(told_at) > ctx.now.getTime() - hourMs)) return;
  const circuit = { ...(found.circuit ?? closedCircuit(ctx)), told_at: ctx.now.toISOString() };
  store.update(ctx, of, found, { circuit }, undefined, null);
  tell(ctx, found, {
    title: `${found.name} starts too often for a record`,
    body: `It started 20 times within an hour for ${objectId}, and does not start for it until that is less. Other records go on.`,
  });
}

/** Both generations are rows of one table. */
const resourceOf = ({ generation }: Listener): typeof workflow =>
  generation === 1 ? (rule as unknown as typeof workflow) : workflow;

function tell(ctx: Ctx, { id, created_by }: Row<typeof workflow>, words: { title: string; body: string }): void {
  const to = created_by !== null && isActiveMember(ctx.directory, created_by) ? [created_by] : adminsOf(ctx.directory);
  notify(ctx, to, { type: "automation_paused", ...words, object_type: "automations", object_id: id, actor_id: null });
}
