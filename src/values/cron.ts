// Times by a cron expression, on the clock on the wall of a time zone. A time that the clock skips is moved to after the gap, and of a
// time that comes twice the first counts.
import { Cron } from "croner";
import { Temporal } from "temporal-polyfill";

/** Why it is no cron expression; null if it is one. */
export function problemOfCron(cron: string): string | null {
  try {
    return timesOf(cron).nextRun(new Date(0)) === null ? "never comes" : null;
  } catch {
    return 'is not a cron expression such as "0 9 * * 1"';
  }
}

/** By itself it knows no zones: its times are those on the wall. */
const timesOf = (cron: string): Cron => new Cron(cron, { mode: "5-part", timezone: "UTC" });

const hour = 3_600_000;
const day = 24 * hour;

/** Whether two of its times are less than so far apart. */
export function comesWithin(cron: string, ms: number): boolean {
  const times = timesOf(cron);
  let last = times.nextRun(new Date(0));
  for (let i = 0; i < 300 && last !== null; i++) {
    const next = times.nextRun(last);
    if (next !== null && next.getTime() - last.getTime() < ms) return true;
    last = next;
  }
  return false;
}

/** The first of its times after a moment. */
export function nextTime(cron: string, zone: string, after: Date): Date | null {
  const times = timesOf(cron);
  for (let wall = onTheWall(after, zone); ; ) {
    const next = times.nextRun(wall);
    if (next === null) return null;
    const moment = momentOf(next, zone);
    if (moment > after) return moment;
    wall = next;
  }
}

/** The last of its times in a span. However many were missed, it is one. */
export function lastTime(cron: string, zone: string, after: Date, until: Date): Date | null {
  for (const span of [hour, day, 32 * day, 400 * day, Number.POSITIVE_INFINITY]) {
    const start = new Date(Math.max(after.getTime(), until.getTime() - span));
    let found: Date | null = null;
    for (let at = nextTime(cron, zone, start); at !== null && at <= until; at = nextTime(cron, zone, at)) found = at;
    if (found !== null || start.getTime() === after.getTime()) return found;
  }
  return null;
}

/** What a clock on the wall shows, as if it hung in UTC. */
const onTheWall = (at: Date, zone: string): Date =>
  new Date(inZone(at, zone).toPlainDateTime().toZonedDateTime("UTC").epochMilliseconds);

const momentOf = (wall: Date, zone: string): Date =>
  new Date(inZone(wall, "UTC").toPlainDateTime().toZonedDateTime(zone).epochMilliseconds);

const inZone = (at: Date, zone: string) => Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
