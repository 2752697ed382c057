// The last guard against loops: an automation that starts too often starts nothing for ten minutes, and is paused when that happens a
// third time within a day.
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
const dayMs = 86_400_000;
const tripsMost = 3;

/** Starts count from now on. */
export const closedCircuit = ({ now }: Ctx): Circuit => ({ until: null, reason: null, trips: [], since: now.toISOString() });

/** In the transaction of the consumer. Whoever owns the automation is told. */
export async function openCircuit(ctx: Ctx, { automation_id, generation }: Listener, reason: string): Promise<void> {
  const of = generation === 1 ? rule : workflow;
  const [found] = await lockToChange(ctx, of as typeof workflow, sql`t.id = ${automation_id}`);
  if (found === undefined) return;
  const now = ctx.now.toISOString();
  const trips = [...(found.circuit?.trips ?? []).filter((one) => Date.parse(one) > ctx.now.getTime() - dayMs), now];
  const circuit = { until: new Date(ctx.now.getTime() + openForMs).toISOString(), reason, trips, since: now };
  const isPaused = trips.length >= tripsMost && found.status === "active";
  const values = isPaused ? ({ circuit, status: "paused", in_flight: "hold" } as const) : { circuit };
  store.update(ctx, of as typeof workflow, found, values, undefined, isPaused ? "paused" : null);
  tell(ctx, found, reason, isPaused);
}

const words: Record<string, string> = {
  loop_rate_record: "It started more than 20 times in an hour for the same record.",
  loop_rate: "It started more than 500 times in a minute.",
};

function tell(ctx: Ctx, { id, name, created_by }: Row<typeof workflow>, reason: string, isPaused: boolean): void {
  const to = created_by !== null && isActiveMember(ctx.directory, created_by) ? [created_by] : adminsOf(ctx.directory);
  const mend = isPaused ? "It happened three times within a day: mend it and publish it again." : "It goes on after ten minutes.";
  notify(ctx, to, {
    type: "automation_paused",
    title: isPaused ? `${name} was paused because it runs too often` : `${name} starts nothing for ten minutes`,
    body: `${words[reason]} ${mend}`,
    object_type: "automations",
    object_id: id,
    actor_id: null,
  });
}
