// `POST /automation/{id}/upgrade/`: opens a rule as a draft of the second generation, for what a list of actions cannot say: branches,
// waits for events, goals. The rule stays as it is.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import { createRecord, lockRecord, showRecord } from "../../records/records.ts";
import { isObject } from "./config.ts";
import type { Graph, Step } from "./graph_shape.ts";
import { openHeaders } from "./header_secrets.ts";
import { addHook, workflowAlone } from "./hooks/show_hook.ts";
import { rule } from "./rule.ts";
import { workflow } from "./workflow.ts";

export const upgradeAutomation = operation({
  name: "automation.upgrade",
  method: "POST",
  path: "/automation/{id}/upgrade/",
  doc: "Makes a draft at `/automations/` that does what a rule does. The rule stays as it is: pause it when you publish the draft.",
  permission: "manage_email_sequences",
  input: { id: z.string() },
  status: 201,
  get output() {
    return workflowAlone();
  },
  async run(ctx, { id }) {
    const { name, description, trigger, filter, graph, settings } = await lockRecord(ctx, rule, id);
    const made = await createRecord(ctx, workflow, {
      name,
      description,
      trigger,
      filter,
      graph: await withItsSecrets(ctx, id, graph),
      settings,
    });
    return addHook(ctx, made.id, await showRecord(ctx, workflow, made.id));
  },
});

/** They are for one automation, and are sealed anew for the other. */
async function withItsSecrets(ctx: Ctx, id: string, graph: Graph): Promise<Graph> {
  const opened = async (step: Step): Promise<Step> => {
    const { url, headers } = step.config;
    return isObject(headers) ? { ...step, config: { ...step.config, headers: await openHeaders(ctx, id, url, headers) } } : step;
  };
  const steps = await Promise.all(Object.entries(graph.steps).map(async ([name, step]) => [name, await opened(step)] as const));
  return { ...graph, steps: Object.fromEntries(steps) };
}
