// What is known of waits before they begin: that there is an event or a moment to wait for, and that it comes within a year.
import type { Ctx } from "../../core/context.ts";
import type { FieldErrors } from "../../core/errors.ts";
import { zoneOf } from "../../records/clock.ts";
import { parseTimestamp } from "../../values/time.ts";
import { noEvent } from "../events/event_names.ts";
import { namesOf } from "../webhooks/wanted.ts";
import { duration } from "./catalog.ts";
import { isDynamic, isObject } from "./config.ts";
import { momentAfter, type Span, waitMostMs } from "./durations.ts";

interface Check {
  ctx: Ctx;
  errors: FieldErrors;
}

type Config = Record<string, unknown>;

const tooFar = "is more than a year away: a run waits for at most 365 days";

/** `wait.duration` is a span itself. */
export const checkDuration = (check: Check, { amount, unit }: Config, at: string): void =>
  checkSpan(check, { amount, unit }, `${at}.amount`);

export const checkTimeout = (check: Check, { timeout }: Config, at: string): void => checkSpan(check, timeout, `${at}.timeout`);

function checkSpan({ ctx, errors }: Check, given: unknown, at: string): void {
  const span = duration.safeParse(given);
  if (span.success && isTooFar(ctx, momentAfter(ctx.now, span.data, "UTC"))) errors[at] = tooFar;
}

/** A moment that is written into the step. Others are known when it runs. */
export function checkUntil({ ctx, errors }: Check, { date, offset }: Config, at: string): void {
  if (date == null || isDynamic(date)) return;
  const moment = typeof date === "string" ? parseTimestamp(date, zoneOf(ctx.directory, ctx)) : null;
  if (moment === null)
    errors[`${at}.date`] =
      'must be a date, a time such as 2026-01-02T09:00:00Z, or a reference such as {"$ref": "record.date_created"}';
  else if (!isDynamic(offset) && isTooFar(ctx, momentAfter(new Date(moment), spanOf(offset), "UTC")))
    errors[`${at}.date`] = tooFar;
}

export const isTooFar = ({ now }: Ctx, until: Date): boolean => until.getTime() - now.getTime() > waitMostMs;

/** What is added to a moment; nothing by default. */
export const spanOf = (offset: unknown): Span => {
  const { amount = 0, unit = "days", direction = "after" } = isObject(offset) ? offset : {};
  return { amount: Number(amount) * (direction === "before" ? -1 : 1), unit: String(unit) };
};

/** A run would wait in vain for an event that there is not. */
export function checkEvent({ errors }: Check, { event }: Config, at: string): void {
  if (typeof event === "string" && namesOf([event])?.length === 0) errors[`${at}.event`] = noEvent(event);
}

export function checkExits(check: Check, exits: readonly unknown[]): void {
  for (const [i, exit] of exits.entries()) if (isObject(exit)) checkEvent(check, exit, `graph.exits.${i}`);
}
