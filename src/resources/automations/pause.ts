// `POST /automations/{id}/pause/`: starts nothing new, and holds, finishes or cancels what is under way.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { lockRecord, showRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { addHook, workflowAlone } from "./hooks/show_hook.ts";
import { cancelRuns } from "./living_runs.ts";
import { workflow } from "./workflow.ts";

const ways = ["hold", "finish", "cancel"] as const;

export const pauseAutomation = operation({
  name: "automations.pause",
  method: "POST",
  path: "/automations/{id}/pause/",
  doc: "Pauses an automation: it starts no new runs.",
  permission: "manage_email_sequences",
  narrows: true,
  input: {
    id: z.string(),
    in_flight: z
      .enum(ways)
      .default("hold")
      .describe(
        "What its runs do: they stop before their next step and go on with the next publish, they finish, or they are cancelled.",
      ),
  },
  get output() {
    return workflowAlone();
  },
  async run(ctx, { id, in_flight }) {
    const found = await lockRecord(ctx, workflow, id);
    if (found.status === "draft") throw invalid({ status: "is draft: only what was published can be paused" });
    await pause(ctx, found, in_flight);
    return addHook(ctx, id, await showRecord(ctx, workflow, id));
  },
});

async function pause(ctx: Ctx, found: Row<typeof workflow>, in_flight: (typeof ways)[number]): Promise<void> {
  if (in_flight === "cancel") await cancelRuns(ctx, found.id, "paused");
  if (found.status === "active")
    store.update(ctx, workflow, found, { status: "paused", in_flight, paused_at: ctx.now.toISOString() }, undefined, "paused");
}
