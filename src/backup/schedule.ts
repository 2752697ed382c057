// When the next backup is due.
import type { BackupAttempt } from "../auth/unscoped_state.ts";
import { lastTime } from "../values/cron.ts";

const retryMs = 3_600_000;

/**
 * The first is taken at once, so that mistakes in the settings show at once. Later ones come at their times in UTC; what was missed while
 * nothing ran counts as one. One that failed, or whose process ended in the middle, is tried again after an hour.
 */
export function isDue(cron: string, latest: BackupAttempt | null, now: Date): boolean {
  if (latest === null) return true;
  if (lastTime(cron, "UTC", latest.started_at, now) !== null) return true;
  return latest.state !== "done" && now.getTime() - latest.started_at.getTime() >= retryMs;
}
