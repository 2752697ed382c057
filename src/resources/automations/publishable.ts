// All that is checked before a plan is in force. Both generations are checked by it.
import type { Ctx } from "../../core/context.ts";
import { collect, type FieldErrors } from "../../core/errors.ts";
import { checkNamed, type Named } from "../shared/named.ts";
import { problemsOfAvailability } from "./available.ts";
import { checkFilter } from "./conditions.ts";
import type { Plan } from "./fields.ts";
import { type Finding, findingsOf } from "./findings.ts";
import { readGraph } from "./graph.ts";
import { problemsOfLentRights } from "./lent_rights.ts";
import { problemsOfRecordReferences } from "./record_references.ts";
import { problemsOfRefTypes } from "./ref_types.ts";
import { problemsOfRunning } from "./runnable.ts";
import { semanticsOf } from "./semantics.ts";
import { problemsOfRights } from "./step_rights.ts";
import { problemsOfStructure } from "./structure.ts";
import { readTrigger } from "./trigger.ts";
import { problemsOfWindow } from "./windows.ts";

/** What keeps a plan from being published by this member, and what is only doubtful. */
export async function problemsOfPublishing(ctx: Ctx, plan: Plan, userId: string): Promise<Finding[]> {
  const check = { errors: {} as FieldErrors, complete: true, named: [] as Named[] };
  readTrigger(check, plan.trigger);
  if (plan.filter !== null) checkFilter(check, plan.filter, "filter");
  readGraph(check, plan.graph);
  const shaped = [...findingsOf(check.errors), ...problemsOfStructure(plan.graph)];
  if (shaped.length > 0) return shaped;
  const missing = problemsOfAvailability(plan);
  if (missing.length > 0) return missing;

  const errors: FieldErrors = {};
  await collect(errors, () => checkNamed(ctx, check.named));
  Object.assign(errors, await problemsOfRunning(ctx, plan, userId));
  return [...findingsOf(errors), ...(await problemsOfMeaning(ctx, plan))];
}

/** What a plan whose parts are right would do and should not, or may not; and, as warnings, what it may not mean. */
export const problemsOfMeaning = async (ctx: Ctx, plan: Plan): Promise<Finding[]> => [
  ...problemsOfRecordReferences(ctx, plan),
  ...problemsOfRefTypes(ctx, plan),
  ...(await problemsOfRights(ctx, plan)),
  ...problemsOfWindow(ctx, plan.settings),
  ...(await semanticsOf(ctx, plan)),
];

/** The same as of publishing, and what keeps it from being in force with the rights that this member would lend it. */
export const problemsOfGoingLive = async (ctx: Ctx, plan: Plan, userId: string): Promise<Finding[]> => [
  ...(await problemsOfPublishing(ctx, plan, userId)),
  ...problemsOfLentRights(ctx, plan),
];
