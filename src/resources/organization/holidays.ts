// The organization's calendars of holidays.
import type { Ctx } from "../../core/context.ts";
import { organizationOf } from "./organization.ts";

interface HolidayCalendar {
  id: string;
  dates: string[];
}

export const holidayCalendars = ({ directory }: Ctx): HolidayCalendar[] =>
  (organizationOf(directory).settings.holiday_calendars as HolidayCalendar[] | undefined) ?? [];

/** None where the calendar was removed from the settings. */
export const holidaysOf = (ctx: Ctx, id: string | null): readonly string[] =>
  (id === null ? undefined : holidayCalendars(ctx).find((one) => one.id === id))?.dates ?? [];

/** The days that business days leave out, besides weekends. */
export const businessHolidays = (ctx: Ctx): readonly string[] =>
  holidaysOf(ctx, (organizationOf(ctx.directory).settings.business_calendar as string | undefined) ?? null);
