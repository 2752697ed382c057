// Why a step failed: a code, and a class that decides what happens then.
import { refusalOf } from "../shared/refused_words.ts";

export const failureClasses = [
  "transient",
  "rate_limited",
  "auth",
  "config",
  "not_found",
  "permission",
  "rejected",
  "conflict",
  "uncertain",
  "quota",
  "internal",
] as const;
export type FailureClass = (typeof failureClasses)[number];

export class StepFailure extends Error {
  readonly code: string;
  readonly class: FailureClass;
  /** For so long, the other side does not want to be asked again. */
  readonly retry_after_ms: number;

  constructor(code: string, kind: FailureClass, message: string, retryAfterMs = 0) {
    super(message);
    this.retry_after_ms = retryAfterMs;
    this.code = code;
    this.class = kind;
  }
}

/** What a call sent, or who started the run by hand. */
const fromOutside = /\b(trigger\.(payload|headers)|run\.input)\b/;

/** Nobody mends what a call did not send: its run fails, and the next one goes on. What the author wrote holds all runs. */
export const faultOf = (written: unknown): "rejected" | "config" =>
  fromOutside.test(JSON.stringify(written ?? null)) ? "rejected" : "config";

const ofStatus: Record<number, [string, FailureClass]> = {
  400: ["refused", "rejected"],
  402: ["payment_required", "quota"],
  403: ["permission_step", "permission"],
  404: ["record_not_found", "not_found"],
};

/** The failure of a step; null for what is the service's own defect or a database that is away: the job is then tried again. */
export function failureOf(error: unknown): StepFailure | null {
  if (error instanceof StepFailure) return error;
  const refusal = refusalOf(error);
  const known = ofStatus[refusal?.status ?? 0];
  return known === undefined ? null : new StepFailure(...known, refusal!.words);
}
