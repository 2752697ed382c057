// The three catalogs: the triggers, conditions and steps of automations.
import type { z } from "zod";
import { operation } from "../../core/operation.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import { shownType, showType, type TypeDefinition } from "./catalog.ts";
import { conditionTypes } from "./condition_types.ts";
import { stepTypes } from "./step_types.ts";
import { triggerTypes } from "./trigger_types.ts";
import { startsRuns } from "./triggers/trigger_type.ts";

const catalog = <T extends TypeDefinition>(word: string, doc: string, types: readonly T[], runs: (type: T) => boolean) => {
  // The JSON Schemas of a hundred configs are made on request.
  let shown: z.output<typeof shownType>[] | undefined;
  return operation({
    name: `automation_${word}_types.list`,
    method: "GET",
    path: `/automation_${word}_types/`,
    doc,
    permission: "member",
    input: pageInput,
    output: pageOf(shownType),
    run: async (_ctx, input) => page((shown ??= types.map((one) => showType(one, runs(one)))), input),
  });
};

export const catalogs = [
  catalog("trigger", "Lists the triggers of automations.", triggerTypes, startsRuns),
  catalog("condition", "Lists the conditions of automations.", conditionTypes, () => true),
  catalog("step", "Lists the steps of automations.", stepTypes, ({ run }) => run !== undefined),
];
