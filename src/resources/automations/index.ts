import { z } from "zod";
import type { Operation } from "../../core/operation.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { listSchema } from "../../records/read_operations.ts";
import { crud, standard } from "../../records/standard.ts";
import { automationEvent } from "./automation_event.ts";
import { automationRun } from "./automation_run.ts";
import { automationSchema } from "./automation_schema.ts";
import { cancelAutomationRun } from "./cancel_run.ts";
import { catalogs } from "./catalogs.ts";
import { deletionOf } from "./delete_automation.ts";
import { runSteps } from "./get_run.ts";
import { withHook } from "./hooks/show_hook.ts";
import { listGeneration, listRunsOf, listVersions } from "./nested_lists.ts";
import { pauseAutomation } from "./pause.ts";
import { publishAutomation } from "./publish.ts";
import { replayAutomation } from "./replay.ts";
import { retryAutomationRun, retryAutomationRuns } from "./retry_runs.ts";
import { rotateHookSecret } from "./rotate_secret.ts";
import { rule } from "./rule.ts";
import { createRule, updateRule } from "./rule_verbs.ts";
import { runAutomation } from "./run_now.ts";
import { simulateAutomation } from "./simulate.ts";
import { automationStats } from "./stats.ts";
import { upgradeAutomation } from "./upgrade.ts";
import { workflow } from "./workflow.ts";
import { createWorkflow, updateWorkflow } from "./workflow_verbs.ts";

const writers = { read: "member", write: "manage_email_sequences" } as const;

/** The wire's word is already a plural. */
const noun = "automation of the second generation";
const docs = {
  list: {
    doc: "Lists automations of the second generation, newest first; with `generation=1` those of the first.",
    output: () => listSchema(z.union([outputSchema(workflow), outputSchema(rule)])),
  },
  get: { doc: `Returns one ${noun}.` },
  create: { doc: `Creates an ${noun}.` },
  update: { doc: `Changes the given fields of an ${noun}.` },
  delete: { doc: `Deletes an ${noun}.` },
};

export const automations: Operation[] = [
  ...standard(rule, { ...crud, create: createRule, update: updateRule, delete: deletionOf(rule) }, writers),
  ...standard(
    workflow,
    { ...crud, list: listGeneration, create: createWorkflow, update: updateWorkflow, delete: deletionOf(workflow) },
    writers,
    { ...docs, alone: withHook },
  ),
  upgradeAutomation,
  publishAutomation,
  pauseAutomation,
  runAutomation,
  rotateHookSecret,
  simulateAutomation,
  replayAutomation,
  listVersions,
  listRunsOf,
  automationStats,
  ...standard(automationRun, { list: true, get: true }, "member", { alone: runSteps }),
  cancelAutomationRun,
  retryAutomationRun,
  retryAutomationRuns,
  ...standard(automationEvent, { list: true }, "member"),
  ...catalogs,
  automationSchema,
];
