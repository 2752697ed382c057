// Removes the stored state of calendars that are no longer followed. The meetings that came from them stay, and only people
// change them from now on.
import { type Ctx, write } from "../../core/context.ts";

/** Forgets an account's calendars, except those in the list. */
export function forgetCalendars(ctx: Ctx, accountId: string, kept: readonly string[]): void {
  for (const table of ["calendar_copy", "calendar"])
    write(ctx, {
      name: `${table}.forget`,
      text: `delete from ${table} where organization_id = $1 and account_id = $2 and calendar_id <> all ($3::text[])`,
      values: [ctx.organization_id, accountId, kept],
    });
}

/** Forgets all calendars of an account, and the list of them. */
export function forgetAllCalendars(ctx: Ctx, accountId: string): void {
  forgetCalendars(ctx, accountId, []);
  write(ctx, {
    name: "calendar_round.forget",
    text: "delete from calendar_round where organization_id = $1 and account_id = $2",
    values: [ctx.organization_id, accountId],
  });
}

/** Makes calendars that could not be read due again. */
export const retryCalendars = (ctx: Ctx, accountId: string): void =>
  write(ctx, {
    name: "calendar.retry",
    text: "update calendar set error = null, read_at = null where organization_id = $1 and account_id = $2 and error is not null",
    values: [ctx.organization_id, accountId],
  });
