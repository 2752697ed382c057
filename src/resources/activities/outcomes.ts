// How a call or a meeting went: one of the outcomes in the organization's settings.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { organizationOf } from "../organization/organization.ts";

export interface Outcome {
  id: string;
  name: string;
}

export function outcomesOf(ctx: Ctx, setting: "call_outcomes" | "meeting_outcomes"): Outcome[] {
  const listed = organizationOf(ctx.directory).settings[setting];
  return Array.isArray(listed) ? listed.filter((one) => typeof one?.id === "string" && typeof one?.name === "string") : [];
}

/** Refuses the id of an outcome that the settings do not have. */
export function checkOutcome(outcomes: readonly Outcome[], outcome_id: string | null | undefined): void {
  if (outcome_id && !outcomes.some((one) => one.id === outcome_id)) throw invalid({ outcome_id: "does not exist" });
}
