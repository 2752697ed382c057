// What a run and its steps say of themselves in words: what they wait for, why they ended, what their conditions found.
import { tracedInWords } from "./trace.ts";

interface Problem {
  message?: string;
  step_id?: string | null;
}

interface Waited {
  kind?: string;
  until?: string;
  event?: string | null;
  error?: Problem | null;
  run_id?: string | null;
}

const reasons: Readonly<Record<string, string>> = {
  paused: "its automation is paused",
  filter: "the filter does not hold",
  record_deleted: "its record was deleted",
  exit: "another automation took its record out",
  max_run_days: "it took longer than its limits allow",
  held: "it was held for a month",
  republished: "a new version was published",
  api: "somebody cancelled it",
  automation_deleted: "its automation was deleted",
};

/** A step that wrote to nobody, and why. */
export interface Unsent {
  step_id: string;
  reason: string;
}

export const reasonOf = (left: unknown): string => String((left as Partial<Unsent> | null)?.reason ?? "suppressed");

const noWay: Readonly<Record<string, string>> = {
  no_address: "there is no address",
  no_number: "there is no number",
  invalid_number: "the number gets no texts",
};

const unsentInWords = ({ step_id, reason }: Unsent): string =>
  `${step_id} sent nothing, because ${noWay[reason] ?? `of ${reason}`}`;

const because = (reason: string | null): string => (reason === null ? "" : `: ${reasons[reason] ?? reason}`);

/** In the order of its fields `status`, `status_reason`, `error`, `wait`, `goal_id`, `exit_id`, `output`. */
export function runInWords(
  status: string,
  reason: string | null,
  error: Problem | null,
  wait: Waited | null,
  goal: string | null,
  exit: string | null,
  output: { message?: string; not_sent?: Unsent[]; exited_by?: { automation_id: string; run_id: string } } | null,
): string {
  if (status === "queued") return wait?.kind === "turn" ? `It waits for its turn, ${turnInWords(wait)}.` : "It has not begun.";
  if (status === "running") return "It goes on with its next step.";
  if (status === "waiting") return `It waits ${waitInWords(wait)}.`;
  if (status === "exited" && output?.exited_by !== undefined)
    return `It ended early: the run ${output.exited_by.run_id} of ${output.exited_by.automation_id} took its record out.`;
  if (status === "exited")
    return exit === null && goal === null ? `It ended early${because(reason)}.` : `It left by ${leftBy(goal, exit)}.`;
  if (status === "completed")
    return [
      `It came to its end${goal === null ? "" : ` by its goal ${goal}`}${output?.message == null ? "" : `: ${output.message}`}`,
      ...(output?.not_sent ?? []).map(unsentInWords),
    ]
      .join("; ")
      .concat(".");
  // Of a run that somebody cancelled, the failure that held it before is not the reason.
  const isFault = status !== "cancelled";
  const where = error?.step_id == null || !isFault ? "" : ` at ${error.step_id}`;
  const why = error?.message == null || !isFault ? because(reason) : `: ${error.message}`;
  const what = { held: "is held", failed: "failed", cancelled: "was cancelled", skipped: "did not begin", expired: "expired" }[
    status
  ];
  return `It ${what ?? status}${where}${why}.`;
}

const stepInFault = (error: Problem | null = null): string =>
  error?.message == null ? "a step again that failed" : `${error.step_id} again, which failed: ${error.message}`;

const turnInWords = ({ run_id }: Waited): string =>
  run_id == null ? "until another run of its automation is over" : `after ${run_id}`;

const leftBy = (goal: string | null, exit: string | null): string => (exit === null ? `its goal ${goal}` : `its exit ${exit}`);

const waitInWords = (wait: Waited | null): string => {
  const until = `until ${wait?.until ?? "later"}`;
  if (wait?.kind === "retry") return `${until} to try ${stepInFault(wait.error)}`;
  if (wait?.kind === "approval")
    return `for the answer to its approval, at most ${until}: the step tells its tasks and whom it asked`;
  if (wait?.kind === "child") return `for the run ${wait.run_id ?? "of another automation"} that it started, at most ${until}`;
  if (wait?.kind === "window") return `${until}, when the time window of its automation opens`;
  if (wait?.kind === "event") return `for ${wait.event}, at most ${until}`;
  return wait?.kind === "condition" ? `for its condition to hold, at most ${until}` : until;
};

/** In the order of its fields `status`, `branch`, `decision`, `error`, `wait_until`, `attempts`, `output`. */
export function stepInWords(
  status: string,
  port: string | null,
  decision: unknown,
  error: Problem | null,
  until: string | null,
  attempts: readonly { error?: Problem }[] | null,
  output: unknown,
): string {
  const found = tracedInWords(decision);
  const why = found === "" ? "" : ` (${found})`;
  if (status === "waiting") return `It waits until ${until}${why}.`;
  if (error?.message != null) return `It failed: ${error.message}.`;
  const last = attempts?.at(-1)?.error?.message;
  if (status === "running" && until !== null && last !== undefined) return `It failed: ${last}. It is tried again at ${until}.`;
  if (status !== "succeeded" && status !== "stubbed") return `It is ${status}.`;
  const did = status === "stubbed" ? "It did nothing outside of this run, and left" : "It left";
  if (port === "suppressed") return `${did} by suppressed: ${noWay[reasonOf(output)] ?? reasonOf(output)}.`;
  return port === null ? `It is over${why}.` : `${did} by ${port}${why}.`;
}
