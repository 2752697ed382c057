// PUT /import/{id}/ with `action`: pauses, resumes and cancels an import. Its job sees that before its next rows.
import { type Ctx, userOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { wake } from "../../jobs/job.ts";
import { store } from "../../records/store.ts";
import { keptUntil, revertibleUntil } from "./clear_rows.ts";
import { importResource } from "./import.ts";
import { importJobs } from "./import_jobs.ts";
import type { Import } from "./import_rows.ts";

export const actions = ["pause", "resume", "cancel"] as const;
type Action = (typeof actions)[number];

/** The states that each starts from. What is asked for again changes nothing. */
const from: Record<Action, { states: readonly string[]; already: readonly string[] }> = {
  pause: { states: ["queued", "processing"], already: ["paused"] },
  resume: { states: ["paused", "error"], already: ["queued", "processing"] },
  cancel: { states: ["queued", "processing", "paused"], already: ["canceled"] },
};

export function stepOn(ctx: Ctx, before: Import, action: Action): Import {
  const { states, already } = from[action];
  if (already.includes(before.status)) return before;
  if (!states.includes(before.status))
    throw invalid({ action: `is for imports that are ${states.join(" or ")}; this one is ${before.status}` });
  if (action === "pause") return store.update(ctx, importResource, before, { status: "paused", clears_at: keptUntil(ctx.now) });
  if (action === "cancel") {
    const values = { status: "canceled", date_completed: ctx.now.toISOString(), clears_at: revertibleUntil(ctx.now) } as const;
    return store.update(ctx, importResource, before, values);
  }
  if (before.clears_at === null) throw invalid({ action: "comes too late: the rows were deleted; import the file again" });
  wake(ctx, importJobs, [before.id]);
  const values = { status: "queued", error: null, date_completed: null, clears_at: null } as const;
  return store.update(ctx, importResource, before, { ...values, run_by: userOf(ctx) });
}
