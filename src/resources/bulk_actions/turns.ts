// Takes items in turns, each in a transaction of its own.
import { ClaimLost, type Job } from "../../jobs/job.ts";
import { refusalOf } from "../shared/refused_words.ts";
import { type Done, failed } from "./doing.ts";

export interface Extent {
  most: number;
  /** Whether the next turn may follow at once. */
  mayGoOn: boolean;
}

const itemsMost = 200;
/** After so long, others get the place. */
const turnsForMs = 2000;
/** How often the job itself tries an item that fails without a reason that says something about it. */
const attemptsMost = 5;

/**
 * Calls `take` until it returns false. What the database refuses in the end fails a whole transaction: then the items are taken one by
 * one, and `fail` notes what became of the one that it was.
 */
export async function takeTurns(
  job: Job,
  take: (extent: Extent) => Promise<boolean>,
  fail: (done: Done) => Promise<void>,
): Promise<void> {
  const until = performance.now() + turnsForMs;
  let single = 0;
  for (;;) {
    const mayGoOn = performance.now() < until;
    try {
      if (!(await take({ most: single > 0 ? 1 : itemsMost, mayGoOn }))) return;
      single--;
    } catch (error) {
      if (error instanceof ClaimLost) throw error;
      if (single > 0) await fail(resultOf(job, error));
      else single = itemsMost;
    }
  }
}

function resultOf(job: Job, error: unknown): Done {
  if (refusalOf(error) !== null) return failed(error);
  if (job.failures < attemptsMost) throw error;
  return { status: "failed", error: "could not be done: the database refused it again and again" };
}
