// Finds accounts whose calendars should be followed but have no job: those of members who came back, and those from an earlier
// release.
import { unfollowedCalendars } from "../../auth/unscoped_work.ts";
import { lostJobsTimer } from "../../jobs/lost_jobs.ts";
import { calendarJobs } from "./names.ts";

export const calendarsTimer = lostJobsTimer(
  "calendars",
  "Calendars that should be followed but have no job get one.",
  calendarJobs,
  unfollowedCalendars,
);
