// Starts an automation for the items of a bulk action.
import type { Ctx } from "../../core/context.ts";
import { wake } from "../../jobs/job.ts";
import { countStarted } from "../automations/count_started.ts";
import { mayActAs } from "../automations/lent_rights.ts";
import { type Listener, listenerById } from "../automations/listeners.ts";
import { runJobs } from "../automations/names.ts";
import { startByHand } from "../automations/start_by_hand.ts";
import { type Started, startForExisting } from "../automations/start_for_existing.ts";
import { type BulkAction, type Doing, type Done, each, type Item } from "./doing.ts";

export const starting: Doing = {
  permission: "member",
  of: (ctx, { object_type }) => ctx.registry.resource(object_type!)!,
  async stopped(ctx, action) {
    const listener = await listenerById(ctx, action.automation_id);
    if (listener === null) return "The automation is not in force any more";
    if (listener.paused !== null) return "The automation is paused: publish it, and start it for those that are left";
    // Another version may have another trigger, or act in the name of somebody else.
    if (!startsSo(listener, action)) return "The automation has another trigger now";
    return mayActAs(ctx, listener.plan.settings.run_as_user_id) ? null : "The automation acts in the name of somebody else now";
  },
  async take(ctx, action, items) {
    const listener = (await listenerById(ctx, action.automation_id))!;
    const runs: string[] = [];
    const done = await each(ctx, items, async (own, item): Promise<Done> => {
      const started = await startOne(own, listener, action, item);
      if ("refused" in started) return { status: "skipped", error: started.refused };
      runs.push(started.run_id);
      return { status: "succeeded" };
    });
    wake(ctx, runJobs, runs);
    if (runs.length > 0)
      countStarted(
        ctx,
        runs.map(() => action.automation_id),
      );
    return done;
  },
};

const startsSo = ({ trigger, plan }: Listener, { run_kind, object_type }: BulkAction): boolean =>
  plan.trigger.config.object_type === object_type &&
  (run_kind === "bulk" ? trigger.byHand === true : (trigger.existing?.(plan.trigger.config) ?? null) !== null);

async function startOne(ctx: Ctx, listener: Listener, { id, run_kind, input }: BulkAction, item: Item): Promise<Started> {
  if (run_kind === "backfill") return startForExisting(ctx, listener, item.object_id, id);
  const run = await startByHand(ctx, listener, item.object_id, { kind: "bulk", input, bulk_action_id: id });
  return typeof run === "string" ? { refused: run } : { run_id: run.id };
}
