// Whether and when a person gets mail about unread notifications.
import { z } from "zod";
import { same } from "../../values/same.ts";
import { timeIn } from "../../values/time.ts";

export interface NotificationSettings {
  email: boolean;
  /** From one time of day to another, in the person's time zone. Null for none. */
  quiet_hours: { from: string; to: string } | null;
}

const byDefault: NotificationSettings = { email: true, quiet_hours: { from: "20:00", to: "07:00" } };

/** As stored with the person: only the settings that were changed. */
export const readSettings = (stored: string): NotificationSettings => ({ ...byDefault, ...JSON.parse(stored) });

/** The stored settings with the given changes. Nothing is written when they change nothing. */
export function withSettings(stored: string, said: Partial<NotificationSettings>): string {
  const before = readSettings(stored);
  const after = { ...before, ...said };
  return same(before, after) ? stored : JSON.stringify(after);
}

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day such as 20:00" });

const quietHours = z
  .object({ from: timeOfDay, to: timeOfDay })
  .refine(({ from, to }) => from !== to, { path: ["to"], error: "must differ from from" })
  .nullable()
  .describe("Quiet hours without such mail, in the person's time zone, or else the organization's; null for none.");

const email = z.boolean().describe("Whether notifications that stay unread for ten minutes are sent by mail.");

export const settingsOutput = z.strictObject({ email, quiet_hours: quietHours });
export const settingsInput = z.object({ email: email.optional(), quiet_hours: quietHours.optional() });

/** Whether the time in this zone is within the quiet hours, even on days of 23 or 25 hours. */
export function isQuiet(now: Date, zone: string, { quiet_hours }: NotificationSettings): boolean {
  if (quiet_hours === null) return false;
  const { from, to } = quiet_hours;
  const time = timeIn(now, zone).slice(11, 16);
  return from < to ? time >= from && time < to : time >= from || time < to;
}
