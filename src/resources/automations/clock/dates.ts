// Records whose date has come. A day begins at midnight, or at the time of day that is asked for. The moment is always computed from
// the present value, so a date that moves is due at its new time.
import { Temporal } from "temporal-polyfill";
import { type Ctx, query } from "../../../core/context.ts";
import { from, scope } from "../../../core/resource.ts";
import { and, raw, type Sql, sql, statement } from "../../../db/sql.ts";
import type { Attribute } from "../../../search/attributes.ts";
import { subjectOf } from "../../../search/subject.ts";
import { addBusinessDays } from "../../../values/business_days.ts";
import { pgTimestamp } from "../../../values/time.ts";
import { businessHolidays } from "../../organization/holidays.ts";
import type { Clock, Config, DueRecord } from "./clock.ts";
import { aheadMostMs, behindMostMs, saidOf, zoneFrom, zoneStepMinutes } from "./zones.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

/** The date field as a search sees it. Null if it is no date of this kind of record. */
export function dateOf(ctx: Ctx, objectType: string, field: string): Attribute | null {
  const of = ctx.registry.resource(objectType);
  const found = of === undefined ? null : subjectOf(ctx, of, "t").attribute(field);
  return found !== null && (found.kind === "date" || found.kind === "timestamp") && found.value !== null ? found : null;
}

export const dateClock: Clock = {
  next: nextLook,
  latest: (_config, _zone, _after, until) => until,
  objectType: ({ object_type }) => object_type,
  async due(ctx, given, zone, after, until) {
    const config: Config = { ...given, holidays: businessHolidays(ctx) };
    const date = dateOf(ctx, config.object_type, config.date_field);
    if (date === null) return [];
    const isDue = (moment: Date) => moment > after && moment <= until;
    if (date.kind === "timestamp" && config.recurrence == null) return dueMoments(ctx, config, date, [after, until], isDue);
    const days = daysSomewhere(config, zone, after, until);
    if (days.length === 0) return [];
    if (config.recurrence === "yearly") return dueYearly(ctx, config, zone, date, days, isDue);
    const rows = await found(ctx, config, date.value!, await date.equals(days.map(String)));
    return rows.filter(({ occasion, zone }) => isDue(momentOfDay(Temporal.PlainDate.from(occasion), config, zone)));
  },
};

/** The days that may be due: of the zone that the trigger names, or of any zone. */
const daysSomewhere = (config: Config, zone: string, after: Date, until: Date): Temporal.PlainDate[] =>
  config.timezone == null
    ? dueDays(config, "UTC", new Date(after.getTime() - behindMostMs), new Date(until.getTime() + aheadMostMs))
    : dueDays(config, zone, after, until);

/** Days begin at known times. Moments are looked for every minute, or every five where days count. */
function nextLook(ctx: Ctx, given: Config, zone: string, after: Date): Date {
  const config: Config = { ...given, holidays: businessHolidays(ctx) };
  const { at, object_type, date_field, offset, recurrence } = config;
  const every = offset.unit === "minutes" || offset.unit === "hours" ? minute : 5 * minute;
  const soon = new Date(after.getTime() + every);
  if (at == null && recurrence == null && dateOf(ctx, object_type, date_field)?.kind === "timestamp") return soon;
  if (config.timezone == null) return nextSomewhere(config, after);
  const days = dueDays(config, zone, after, new Date(after.getTime() + 8 * day));
  const moments = days.map((one) => momentOfDay(one, config, zone).getTime());
  return moments.length === 0 ? new Date(after.getTime() + day) : new Date(Math.min(...moments));
}

/** The next time at which it is that time of day in some zone. */
function nextSomewhere({ at, offset }: Config, after: Date): Date {
  const [, minutes = 0] = String(at ?? "00:00")
    .split(":")
    .map(Number);
  const moved = offset.unit === "minutes" ? (offset.direction === "after" ? offset.amount : -offset.amount) : 0;
  const [step, past] = [zoneStepMinutes * minute, (minutes + moved) * minute];
  return new Date(Math.floor((after.getTime() - past) / step) * step + step + past);
}

// --- days ---

/** The days of which the moment is in a span of time. */
export function dueDays(config: Config, zone: string, after: Date, until: Date): Temporal.PlainDate[] {
  const { direction } = config.offset;
  const [least, most] = spanOf(config);
  const start = dayOf(after, zone).add({ days: direction === "after" ? -most - 2 : least - 2 });
  const end = dayOf(until, zone).add({ days: direction === "after" ? -least + 2 : most + 2 });
  const found: Temporal.PlainDate[] = [];
  for (let one = start; Temporal.PlainDate.compare(one, end) <= 0; one = one.add({ days: 1 })) {
    const moment = momentOfDay(one, config, zone);
    if (moment > after && moment <= until) found.push(one);
  }
  return found;
}

const dayOf = (at: Date, zone: string): Temporal.PlainDate => inZone(at, zone).toPlainDate();

const inZone = (at: Date, zone: string) => Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);

/** How many days an offset is, at least and at most. */
function spanOf({ offset: { amount, unit }, holidays = [] }: Config): [number, number] {
  if (unit === "weeks") return [amount * 7, amount * 7];
  if (unit === "days") return [amount, amount];
  if (unit === "business_days") return [amount, Math.ceil((amount + holidays.length) * 1.4) + 4];
  const days = (amount * (unit === "hours" ? 60 : 1)) / 1440;
  return [Math.floor(days), Math.ceil(days)];
}

export function momentOfDay(date: Temporal.PlainDate, { offset, at, holidays }: Config, zone: string): Date {
  const { amount, unit, direction } = offset;
  const signed = direction === "after" ? amount : -amount;
  const timed = (one: Temporal.PlainDate) => one.toZonedDateTime({ timeZone: zone, plainTime: at ?? "00:00" });
  const moved =
    unit === "minutes" || unit === "hours" ? timed(date).add({ [unit]: signed }) : timed(movedBy(date, signed, unit, holidays));
  return new Date(moved.epochMilliseconds);
}

const movedBy = <D extends Temporal.PlainDate | Temporal.ZonedDateTime>(
  date: D,
  amount: number,
  unit: string,
  holidays: readonly string[] | undefined,
): D => (unit === "business_days" ? addBusinessDays(date, amount, holidays) : (date.add({ [unit]: amount }) as D));

// --- every year ---

/** Whoever was born on 29 February has the 28th in other years. */
async function dueYearly(
  ctx: Ctx,
  config: Config,
  zone: string,
  date: Attribute,
  days: readonly Temporal.PlainDate[],
  isDue: (moment: Date) => boolean,
): Promise<DueRecord[]> {
  const byDay = new Map(days.map((one) => [one.toString().slice(5), one.toString()]));
  for (const one of days) if (one.month === 2 && one.day === 28 && !one.inLeapYear) byDay.set("02-29", one.toString());
  const written =
    date.kind === "date"
      ? sql`(${date.value})::text`
      : sql`to_char((${date.value})::timestamptz at time zone ${zone}, 'YYYY-MM-DD')`;
  const rows = await found(ctx, config, written, sql`substr(${written}, 6, 5) = any(${[...byDay.keys()]}::text[])`);
  return rows.flatMap(({ object_id, occasion, zone: its }) => {
    const anniversary = byDay.get(occasion.slice(5, 10));
    if (anniversary === undefined || anniversary < occasion) return [];
    return isDue(momentOfDay(Temporal.PlainDate.from(anniversary), config, its)) ? { object_id, occasion: anniversary } : [];
  });
}

// --- moments ---

async function dueMoments(
  ctx: Ctx,
  config: Config,
  date: Attribute,
  [after, until]: [Date, Date],
  isDue: (moment: Date) => boolean,
): Promise<DueRecord[]> {
  const { offset, at } = config;
  const isExact = at == null && (offset.unit === "minutes" || offset.unit === "hours");
  const [start, end] = isExact ? exactSpan(config, after, until) : wideSpan(config, after, until);
  const cast = raw(date.cast);
  const within = date.some(
    (value) => sql`${value} > ${start.toISOString()}::${cast} and ${value} <= ${end.toISOString()}::${cast}`,
  );
  const rows = await found(ctx, config, date.value!, within);
  return rows.flatMap(({ object_id, occasion: written, zone }) => {
    const value = new Date(date.cast === "timestamptz" ? pgTimestamp(written) : written);
    return isDue(momentOf(value, config, zone)) ? { object_id, occasion: value.toISOString() } : [];
  });
}

function momentOf(value: Date, { offset, at, holidays }: Config, zone: string): Date {
  const { amount, unit, direction } = offset;
  const moved = movedBy(inZone(value, zone), direction === "after" ? amount : -amount, unit, holidays);
  return new Date((at == null ? moved : moved.withPlainTime(at)).epochMilliseconds);
}

function exactSpan({ offset: { amount, unit, direction } }: Config, after: Date, until: Date): [Date, Date] {
  const ms = amount * (unit === "hours" ? 60 : 1) * minute * (direction === "after" ? 1 : -1);
  return [new Date(after.getTime() - ms), new Date(until.getTime() - ms)];
}

/** Wide enough for all zones: the moments are compared exactly afterwards. */
function wideSpan(config: Config, after: Date, until: Date): [Date, Date] {
  const { direction } = config.offset;
  const [least, most] = spanOf(config).map((days) => days * day) as [number, number];
  const [early, late] = direction === "after" ? [-most, -least] : [least, most];
  return [new Date(after.getTime() + early - 2 * day), new Date(until.getTime() + late + 2 * day)];
}

/** Each in the zone that the trigger names, else in its own. */
async function found(ctx: Ctx, config: Config, value: Sql, condition: Sql): Promise<(DueRecord & { zone: string })[]> {
  const rows = await query(ctx, statement(lookFor(ctx, config, value, condition)));
  return rows.map(([object_id, occasion, zone, owner]) => ({
    object_id: object_id!,
    occasion: occasion!,
    zone: config.timezone ?? zoneFrom(ctx, zone ?? null, owner ?? null),
  }));
}

export function lookFor(ctx: Ctx, { object_type }: Config, value: Sql, condition: Sql): Sql {
  const of = ctx.registry.resource(object_type)!;
  const [zone, owner] = saidOf(ctx, of);
  return sql`select t.id, (${value})::text, ${zone}, ${owner} from ${from(of, "t")} where ${and([...scope(ctx, of), condition])} order by t.id`;
}
