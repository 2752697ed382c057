// What the parts of a run's turn share.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import type { automationRun } from "./automation_run.ts";
import type { Plan } from "./fields.ts";
import type { Lender } from "./in_its_name.ts";
import type { Outcome } from "./steps/step.ts";

/** What one turn of a run knows before its transaction. */
export interface Turn {
  plan: Plan;
  automation: { name: string; created_by: string | null; isHeld: boolean };
  /** Whose rights it acts with: those that its own version says, else those of the version in force. */
  lenders: readonly [Lender, ...Lender[]];
  /** False when the next step has to wait until the job is claimed again. */
  mayGoOn(): boolean;
  /** The turn is over. The next one is due at this moment; null for none. */
  release(ctx: Ctx, again: Date | null): void;
  /** What replaces steps where nothing, or not everything, is carried out. */
  rehearsal?: Rehearsed;
}

export interface Rehearsed {
  /** The outcome of a step that is not carried out; null for one that is. */
  instead(stepId: string, type: string): Outcome | null;
  /** The outcome of a step that was carried out, or another one that is wanted. */
  rather(stepId: string, outcome: Outcome): Outcome;
}

/** Of a step that the run comes to. */
export const firstAttempt = { attempt: 1, attempts_before: 0 } as const;

/** Of a step that somebody lets be tried again: its pauses begin anew. */
export const nextAttempt = ({ attempt }: Pick<Row<typeof automationRun>, "attempt">) => ({
  attempt: attempt + 1,
  attempts_before: attempt,
});

/** The run waits to begin its step: for the hours in which the step may talk to people, or to try it again after a failure. */
export const isPutOff = ({ wait }: Pick<Row<typeof automationRun>, "wait">): boolean =>
  wait !== null && (wait.kind === "window" || wait.kind === "retry");
