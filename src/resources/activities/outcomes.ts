// The outcome of a call or a meeting: one of those in the organization's settings.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { organizationOf } from "../organization/organization.ts";

export interface Outcome {
  id: string;
  name: string;
}

type Setting = "call_outcomes" | "meeting_outcomes";

export function outcomesOf({ directory }: Ctx, setting: Setting): Outcome[] {
  const listed = organizationOf(directory).settings[setting];
  return Array.isArray(listed) ? listed.filter((one) => typeof one?.id === "string" && typeof one?.name === "string") : [];
}

/** The id of the outcome with this name in another organization, or null. */
export function outcomeElsewhere(setting: Setting, id: string | null, here: Ctx, there: Ctx): string | null {
  const name = outcomesOf(here, setting)
    .find((one) => one.id === id)
    ?.name.toLowerCase();
  return outcomesOf(there, setting).find((one) => one.name.toLowerCase() === name)?.id ?? null;
}

/** Refuses the id of an outcome that is not in the settings. */
export function checkOutcome(outcomes: readonly Outcome[], outcome_id: string | null | undefined): void {
  if (outcome_id && !outcomes.some((one) => one.id === outcome_id)) throw invalid({ outcome_id: "does not exist" });
}
