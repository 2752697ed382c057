// What the parts of a run's turn share.
import type { Job } from "../../jobs/job.ts";
import type { Plan } from "./fields.ts";

/** What one turn of a run knows before its transaction. */
export interface Turn {
  job: Job;
  plan: Plan;
  automation: { name: string; created_by: string | null; isHeld: boolean };
  /** False when the next step has to wait for another turn of the job. */
  mayGoOn: boolean;
}
