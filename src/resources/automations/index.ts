import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { automation } from "./automation.ts";
import { automationEvent } from "./automation_event.ts";
import { automationRun } from "./automation_run.ts";
import { createAutomation, updateAutomation } from "./automation_verbs.ts";
import { automations } from "./automations.ts";
import { createAutomations, updateAutomations } from "./automations_verbs.ts";
import { catalogs } from "./catalogs.ts";
import { deletionOf } from "./delete_automation.ts";
import { withSteps } from "./get_run.ts";
import { listRunsOf, listVersions } from "./nested_lists.ts";
import { automationStats } from "./stats.ts";

const writers = { read: "member", write: "manage_email_sequences" } as const;

/** The wire's word is a plural already. */
const inSingular = (operation: Operation): Operation => ({
  ...operation,
  doc: operation.doc
    .replace("automationses", "automations of the second generation")
    .replace(/(a|one) automations/, "$1 automation of the second generation"),
});

export const automationsOfBothGenerations: Operation[] = [
  ...standard(
    automation,
    { ...crud, create: createAutomation, update: updateAutomation, delete: deletionOf(automation) },
    writers,
  ),
  ...standard(
    automations,
    { ...crud, create: createAutomations, update: updateAutomations, delete: deletionOf(automations) },
    writers,
  ).map(inSingular),
  listVersions,
  listRunsOf,
  automationStats,
  ...standard(automationRun, { list: true, get: true }, "member").map((one) => (one.verb === "get" ? withSteps(one) : one)),
  ...standard(automationEvent, { list: true }, "member"),
  ...catalogs,
];
