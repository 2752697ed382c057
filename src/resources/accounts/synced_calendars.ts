// Which calendars of an account are followed. Its owner chooses among the provider's calendars.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Patch, Row } from "../../core/resource.ts";
import { wake } from "../../jobs/job.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { forgetAllCalendars, forgetCalendars } from "../calendars/forget.ts";
import { calendarJobs } from "../calendars/names.ts";
import { connectedAccount } from "./connected_account.ts";

type Account = Row<typeof connectedAccount>;
type Chosen = Account["synced_calendars"];

/** The chosen calendars, as the provider names them. Undefined when the request chooses none. */
export function chosenCalendars(
  ctx: Ctx,
  before: Account,
  { synced_calendars: given }: Patch<typeof connectedAccount>,
): Chosen | undefined {
  if (given === undefined) return undefined;
  const ids = given.map(({ id }) => id);
  const place = ids.findIndex((id) => !before.available_calendars.some((one) => one.id === id));
  if (place >= 0) throw invalid({ [`synced_calendars.${place}.id`]: unknown(before) });
  const chosen = before.available_calendars.filter(({ id }) => ids.includes(id));
  const isMore = chosen.some(({ id }) => !before.synced_calendars.some((one) => one.id === id));
  if (isMore && ctx.actor.user_id !== before.user_id)
    throw invalid({ synced_calendars: "are chosen by the account's owner: others can only leave some out" });
  return chosen;
}

const unknown = ({ available_calendars }: Account): string =>
  available_calendars.length === 0
    ? "is not known yet: the calendars are listed a moment after the account is connected"
    : "is not one of available_calendars";

/** Applies a changed choice: removed calendars are forgotten, and their meetings stay. */
export function followChoice(ctx: Ctx, before: Account, after: Account): void {
  if (!isOn(after)) {
    if (isOn(before)) forgetAllCalendars(ctx, after.id);
    return;
  }
  const kept = after.synced_calendars.map(({ id }) => id);
  if (before.synced_calendars.some(({ id }) => !kept.includes(id))) forgetCalendars(ctx, after.id, kept);
  if (!isOn(before) || !same(before.synced_calendars, after.synced_calendars)) wake(ctx, calendarJobs, [after.id]);
}

const isOn = ({ calendar_status }: Account): boolean => calendar_status !== "disabled";

/**
 * Stores the provider's list of calendars. The main one is followed when nobody has chosen yet, and those that are gone are not.
 */
export function setCalendars(ctx: Ctx, account: Account, available: Chosen, isFirst: boolean): Account {
  const kept = available.filter(({ id }) => account.synced_calendars.some((one) => one.id === id));
  const main = available.filter(({ is_primary }) => is_primary);
  const synced = isFirst && account.synced_calendars.length === 0 ? main : kept;
  return store.update(ctx, connectedAccount, account, { available_calendars: available, synced_calendars: synced });
}
