// The three catalogs: the triggers, conditions and steps of automations.
import type { z } from "zod";
import { operation } from "../../core/operation.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import { shownType, showType, type TypeDefinition } from "./catalog.ts";
import { conditionTypes } from "./condition_types.ts";
import { isSearched } from "./searched_records.ts";
import { stepTypes } from "./step_types.ts";
import { triggerTypes } from "./trigger_types.ts";
import { startsRuns } from "./triggers/trigger_type.ts";

type Shown = z.output<typeof shownType>;

const catalog = <T extends TypeDefinition>(word: string, doc: string, types: readonly T[], show: (type: T) => Shown) => {
  // The JSON Schemas of a hundred configs are made on request.
  let shown: Shown[] | undefined;
  return operation({
    name: `automation_${word}_types.list`,
    method: "GET",
    path: `/automation_${word}_types/`,
    doc,
    permission: "member",
    input: pageInput,
    output: pageOf(shownType),
    run: async (_ctx, input) => page((shown ??= types.map(show)), input),
  });
};

export const catalogs = [
  catalog("trigger", "Lists the triggers of automations.", triggerTypes, (one) => showType(one, startsRuns(one))),
  catalog("condition", "Lists the conditions of automations.", conditionTypes, (one) => ({
    ...showType(one, true),
    sql: isSearched(one.type),
  })),
  catalog("step", "Lists the steps of automations.", stepTypes, (one) => showType(one, one.run !== undefined)),
];
