// The three catalogs: what an automation can start on, ask and do.
import type { z } from "zod";
import { operation } from "../../core/operation.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import { shownType, showType, type TypeDefinition } from "./catalog.ts";
import { conditionTypes } from "./condition_types.ts";
import { stepTypes } from "./step_types.ts";
import { triggerTypes } from "./trigger_types.ts";

const catalog = (word: string, doc: string, types: readonly TypeDefinition[]) => {
  // JSON Schemas of a hundred configs: made when somebody asks.
  let shown: z.output<typeof shownType>[] | undefined;
  return operation({
    name: `automation_${word}_types.list`,
    method: "GET",
    path: `/automation_${word}_types/`,
    doc,
    permission: "member",
    input: pageInput,
    output: pageOf(shownType),
    run: async (_ctx, input) => page((shown ??= types.map(showType)), input),
  });
};

export const catalogs = [
  catalog("trigger", "Lists what an automation can start on.", triggerTypes),
  catalog("condition", "Lists what an automation can ask of a record.", conditionTypes),
  catalog("step", "Lists what an automation can do.", stepTypes),
];
