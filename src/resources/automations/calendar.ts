// The business days that conditions count by: those of the organization.
import type { Ctx } from "../../core/context.ts";
import { businessHolidays } from "../organization/holidays.ts";
import { organizationOf } from "../organization/organization.ts";
import type { Calendar } from "./durations.ts";

export const calendarOf = (ctx: Ctx) => (): Calendar => ({
  zone: organizationOf(ctx.directory).timezone,
  holidays: businessHolidays(ctx),
});
