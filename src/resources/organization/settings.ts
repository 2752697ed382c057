// An organization's settings: free JSON. Members that the service uses are checked.
import { z } from "zod";
import { collect, type FieldErrors, refuse } from "../../core/errors.ts";
import { isBlank } from "../../values/blank.ts";
import { newId } from "../../values/id.ts";
import { oneLine } from "../../values/one_line.ts";
import { hint, reasons } from "../../values/reasons.ts";
import { unknownWithin } from "../../values/unknown_keys.ts";
import { retention } from "./retention.ts";
import { rubric } from "./rubric.ts";

export type Settings = Record<string, unknown>;

const sizeMax = 64 * 1024;

const outcomes = z
  .array(
    z.looseObject({
      id: z
        .string()
        .regex(/^outcome_\w{1,56}$/, { error: "is not the id of an outcome: leave it out for a new one" })
        .optional(),
      name: z.string().trim().min(1).max(255),
    }),
  )
  .max(200)
  .superRefine((given, check) => {
    given.forEach(({ id, name }, i) => {
      if (id !== undefined && given.findIndex((other) => other.id === id) < i)
        check.addIssue({ code: "custom", path: [i, "id"], message: "is already used" });
      if (given.findIndex((other) => other.name.toLowerCase() === name.toLowerCase()) < i)
        check.addIssue({ code: "custom", path: [i, "name"], message: "is already used" });
    });
  })
  .transform((given) => given.map(({ id, ...rest }) => ({ id: id ?? newId("outcome"), ...rest })));

/** Days without work, which sequences can skip. Those of the `business_calendar` are no business days. */
const holidayCalendars = z
  .array(
    z.looseObject({
      id: z.string().regex(/^[\w-]{1,64}$/, { error: "must be letters, digits, - and _" }),
      name: z.string().max(255).optional(),
      dates: z.array(z.iso.date({ error: "must be a date such as 2027-12-25" })).max(400),
    }),
  )
  .max(50)
  .superRefine((given, check) => {
    given.forEach(({ id }, i) => {
      if (given.findIndex((other) => other.id === id) < i)
        check.addIssue({ code: "custom", path: [i, "id"], message: "is already used" });
    });
  });

const section = z.record(z.string(), z.unknown());

/** How the organization shows itself to its customers, on quotes. */
export const branding = z.looseObject({
  // It is who mail is from, too.
  name: z
    .string()
    .max(255)
    .overwrite((text) => oneLine(text))
    .refine((text) => !isBlank(text), { error: "must not be empty" })
    .optional(),
  address: z.string().trim().min(1).max(1000).optional(),
  logo_file_id: z.string().min(1).max(64).optional(),
});

/** The members that the service uses. */
const known: Record<string, z.ZodType> = {
  icp: z.looseObject({ rubric: rubric.optional() }),
  call_outcomes: outcomes,
  meeting_outcomes: outcomes,
  email_tracking: z.looseObject({
    opens: z.boolean().optional(),
    clicks: z.boolean().optional(),
    machines: z.boolean().optional(),
  }),
  business_hours: section,
  enrichment: z.looseObject({
    credits_per_day: z.int().min(0).optional(),
    credits_per_month: z.int().min(0).optional(),
  }),
  ai: z.looseObject({
    provider: z.enum(["openai", "anthropic", "google", "rules"]).optional(),
    tokens_per_day: z.int().min(0).optional(),
    tokens_per_month: z.int().min(0).optional(),
  }),
  holiday_calendars: holidayCalendars,
  business_calendar: z.string().max(64),
  mcp: z.looseObject({ require_destructive_for_send: z.boolean().optional() }),
  branding,
  retention,
  sequences: z.looseObject({ one_at_a_time: z.boolean().optional() }),
};

/**
 * What is misspelled here would leave a limit as it is without a word. Only what is sent is held against it, so that what was stored before
 * stays changeable, and null takes such a key away.
 */
const closed = new Set(["icp", "ai", "mcp", "enrichment", "email_tracking", "sequences", "branding", "retention"]);

const refuseUnknown = (schema: z.ZodType, given: unknown, at: string): void =>
  refuse(
    Object.fromEntries(
      unknownWithin(schema, withoutNulls(given), at, true).map(({ place, known }) => [
        place,
        `is not a setting${hint(place.slice(place.lastIndexOf(".") + 1), known)}`,
      ]),
    ),
  );

const withoutNulls = (given: unknown): unknown =>
  isObject(given) ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) : given;

/** A rubric is replaced as a whole, because parts of an old one would not fit the new one. */
const wholes = new Set(["icp.rubric"]);

/** The settings after a change: objects are merged member by member, everything else is replaced, and null removes. */
export function mergeSettings(present: Settings, given: Settings): Settings {
  const merged = merge(present, given, "");
  const errors: FieldErrors = {};
  for (const [key, schema] of Object.entries(known)) {
    if (!Object.hasOwn(given, key)) continue;
    if (closed.has(key)) collect(errors, () => refuseUnknown(schema, given[key], `settings.${key}`));
    if (!Object.hasOwn(merged, key)) continue;
    const result = schema.safeParse(merged[key], { reportInput: true });
    if (result.success) merged[key] = result.data;
    else Object.assign(errors, reasons(result.error, `settings.${key}`));
  }
  // The error also gets the name of the rubric, which the caller sent as one value.
  if (Object.keys(errors).some((place) => place.startsWith("settings.icp.rubric.")))
    errors["settings.icp.rubric"] ??= "is not a valid rubric";
  if (Object.hasOwn(given, "business_calendar") && given.business_calendar !== null && !isCalendar(merged))
    errors["settings.business_calendar"] ??= "is not the id of a calendar in settings.holiday_calendars";
  if (JSON.stringify(merged).length > sizeMax) errors.settings = `must be ${sizeMax / 1024} KB of JSON or less`;
  refuse(errors);
  return merged;
}

const isCalendar = ({ business_calendar, holiday_calendars }: Settings): boolean =>
  Array.isArray(holiday_calendars) && holiday_calendars.some((one) => one?.id === business_calendar);

function merge(present: Settings, given: Settings, at: string): Settings {
  const merged: Settings = { ...present };
  for (const [key, value] of Object.entries(given)) {
    const before = merged[key];
    if (value === null) delete merged[key];
    else if (isObject(value) && !wholes.has(at + key)) merged[key] = merge(isObject(before) ? before : {}, value, `${at}${key}.`);
    else merged[key] = value;
  }
  return merged;
}

const isObject = (value: unknown): value is Settings => typeof value === "object" && value !== null && !Array.isArray(value);
