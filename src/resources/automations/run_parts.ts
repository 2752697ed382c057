// What the parts of a run's turn share.
import type { Job } from "../../jobs/job.ts";
import type { Plan } from "./fields.ts";

/** What one turn of a run knows before its transaction. */
export interface Turn {
  job: Job;
  plan: Plan;
  /** `run_as_user_id` of the version in force. */
  automation: { name: string; created_by: string | null; run_as_user_id: string | null; isHeld: boolean };
  /** False when the next step has to wait for another turn of the job. */
  mayGoOn: boolean;
}
