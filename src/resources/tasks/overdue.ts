// When a task is overdue: at the end of its day, in the assignee's time zone, or the organization's for a group.
import { LRUCache } from "lru-cache";
import type { Directory } from "../../core/directory.ts";
import { endOfDay } from "../../values/time.ts";

interface Dated {
  date: string | null;
  assigned_to: string;
}

/** The first moment at which it is overdue. Null without a date, and for the last possible day. */
export function endOf({ date, assigned_to }: Dated, directory: Directory): string | null {
  if (date === null) return null;
  const end = endIn(date, zoneOf(directory, assigned_to));
  return end === "infinity" ? null : end;
}

/** When to notify that it is overdue. Null when that has been done, or the task is completed. */
export const overdueAt = (row: Dated & { is_complete: boolean; overdue_told: string | null }, directory: Directory) =>
  row.is_complete || row.date === row.overdue_told ? null : endOf(row, directory);

function zoneOf(directory: Directory, assignedTo: string): string {
  const zone = (kind: string, id: string) => directory.find(kind, id)?.timezone as string | null | undefined;
  return zone("user", assignedTo) ?? zone("organization", directory.organization_id) ?? "UTC";
}

const ends = new LRUCache<string, string>({ max: 1000 });

// Cached, because every write of a task needs it, mostly for the same few days. At 15 µs each, writing a thousand tasks at once
// would be slower.
function endIn(day: string, zone: string): string {
  const key = `${zone} ${day}`;
  let end = ends.get(key);
  if (end === undefined) ends.set(key, (end = endOfDay(day, zone)));
  return end;
}
