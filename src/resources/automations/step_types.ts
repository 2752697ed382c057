// The steps that an automation can have, by families.
import { aiSteps } from "./steps/ai.ts";
import { externalSteps } from "./steps/external.ts";
import { flowSteps } from "./steps/flow.ts";
import { outreachSteps } from "./steps/outreach.ts";
import { recordSteps } from "./steps/records.ts";
import type { StepType } from "./steps/step.ts";

export const stepTypes: readonly StepType[] = [...flowSteps, ...recordSteps, ...outreachSteps, ...externalSteps, ...aiSteps];

/** By their names. */
export const stepTypesByName: ReadonlyMap<string, StepType> = new Map(stepTypes.map((one) => [one.type, one]));
