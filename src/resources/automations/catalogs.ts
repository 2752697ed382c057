// The three catalogs: the triggers, conditions and steps of automations.
import type { z } from "zod";
import { operation } from "../../core/operation.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import { shownType, showType } from "./catalog.ts";
import { conditionTypes } from "./condition_types.ts";
import { isSearched } from "./searched_records.ts";
import { stepTypes } from "./step_types.ts";
import { triggerTypes } from "./trigger_types.ts";
import { startsRuns } from "./triggers/trigger_type.ts";

export type Shown = z.output<typeof shownType>;

// The JSON Schemas of a hundred configs are made when somebody asks.
const lazily = (make: () => Shown[]): (() => readonly Shown[]) => {
  let shown: Shown[] | undefined;
  return () => (shown ??= make());
};

export const shownTriggers = lazily(() => triggerTypes.map((one) => showType(one, startsRuns(one))));
export const shownConditions = lazily(() => conditionTypes.map((one) => ({ ...showType(one, true), sql: isSearched(one.type) })));
export const shownSteps = lazily(() => stepTypes.map((one) => showType(one, one.run !== undefined)));

const catalog = (word: string, doc: string, shown: () => readonly Shown[]) =>
  operation({
    name: `automation_${word}_types.list`,
    method: "GET",
    path: `/automation_${word}_types/`,
    doc,
    permission: "member",
    input: pageInput,
    output: pageOf(shownType),
    run: async (_ctx, input) => page(shown(), input),
  });

export const catalogs = [
  catalog("trigger", "Lists the triggers of automations.", shownTriggers),
  catalog("condition", "Lists the conditions of automations.", shownConditions),
  catalog("step", "Lists the steps of automations.", shownSteps),
];
