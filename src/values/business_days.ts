// Business days are Monday to Friday, without the holidays of a calendar.
import { Temporal } from "temporal-polyfill";

type Day = Temporal.PlainDate | Temporal.ZonedDateTime;

/** The day so many business days after another, or before it. `holidays` are dates such as 2027-12-24. */
export function addBusinessDays<D extends Day>(from: D, amount: number, holidays: readonly string[] = []): D {
  let [start, end] = [from, addWeekdays(from, amount)];
  for (let left = missed(start, end, holidays); left > 0; left = missed(start, end, holidays))
    [start, end] = [end, addWeekdays(end, Math.sign(amount) * left)];
  return end;
}

/** Five of them are a week. From a weekend they count from the last weekday before it, and backwards from the first one after it. */
function addWeekdays<D extends Day>(from: D, amount: number): D {
  if (amount === 0) return from;
  const sign = Math.sign(amount);
  let day = from;
  while (day.dayOfWeek > 5) day = day.subtract({ days: sign }) as D;
  day = day.add({ weeks: Math.trunc(amount / 5) }) as D;
  for (let left = Math.abs(amount % 5); left > 0; ) {
    day = day.add({ days: sign }) as D;
    if (day.dayOfWeek <= 5) left--;
  }
  return day;
}

/** The holidays among the weekdays behind `from`, up to and including `to`. */
function missed(from: Day, to: Day, holidays: readonly string[]): number {
  const [start, end] = [dateOf(from), dateOf(to)];
  const isBetween = (one: string): boolean => (start < end ? one > start && one <= end : one < start && one >= end);
  return new Set(holidays.filter((one) => isBetween(one) && Temporal.PlainDate.from(one).dayOfWeek <= 5)).size;
}

const dateOf = (day: Day): string => ("timeZoneId" in day ? day.toPlainDate() : day).toString();
