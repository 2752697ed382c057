import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { automationEvent } from "./automation_event.ts";
import { automationRun } from "./automation_run.ts";
import { catalogs } from "./catalogs.ts";
import { deletionOf } from "./delete_automation.ts";
import { runSteps } from "./get_run.ts";
import { listRunsOf, listVersions } from "./nested_lists.ts";
import { rule } from "./rule.ts";
import { createRule, updateRule } from "./rule_verbs.ts";
import { automationStats } from "./stats.ts";
import { workflow } from "./workflow.ts";
import { createWorkflow, updateWorkflow } from "./workflow_verbs.ts";

const writers = { read: "member", write: "manage_email_sequences" } as const;

/** The wire's word is a plural already. */
const noun = "automation of the second generation";
const docs = {
  list: { doc: "Lists automations of the second generation, newest first." },
  get: { doc: `Answers one ${noun}.` },
  create: { doc: `Creates a ${noun}.` },
  update: { doc: `Changes the given fields of a ${noun}.` },
  delete: { doc: `Deletes a ${noun}.` },
};

export const automations: Operation[] = [
  ...standard(rule, { ...crud, create: createRule, update: updateRule, delete: deletionOf(rule) }, writers),
  ...standard(workflow, { ...crud, create: createWorkflow, update: updateWorkflow, delete: deletionOf(workflow) }, writers, docs),
  listVersions,
  listRunsOf,
  automationStats,
  ...standard(automationRun, { list: true, get: true }, "member", { alone: runSteps }),
  ...standard(automationEvent, { list: true }, "member"),
  ...catalogs,
];
