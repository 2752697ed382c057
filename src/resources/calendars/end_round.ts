// Ends a round, after all calendars of an account were read. Meetings that are in none of them any more are canceled, the account
// shows the result, and the next round starts some minutes later.
import { type Ctx, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { release } from "../../jobs/job.ts";
import { lockToChange } from "../../records/references.ts";
import { failAccount, mendAccount } from "../accounts/account_states.ts";
import { callOffMeeting } from "../activities/calendar_meetings.ts";
import { meeting } from "../activities/meeting.ts";
import { type Identity, keyOf, lockIdentities, type OtherCopy, otherCopies, takeGone, writeIdentities } from "./copies.ts";
import { nextRound } from "./step.ts";
import type { Reading, Turn } from "./turn.ts";

/** The most in one transaction. */
const most = 200;

/** Runs in the turn's transaction, and ends the turn. */
export async function endRound(ctx: Ctx, { job, account, readings }: Omit<Turn, "round">): Promise<void> {
  const gone = await takeGone(ctx, account.id, most);
  if (gone.length > 0) await callOff(ctx, account.id, gone);
  if (gone.length === most) return release(ctx, job, ctx.now);

  await showHowItWent(ctx, account, [...readings.values()]);
  write(ctx, {
    name: "calendar_round.end",
    text: `update calendar_round set began_at = null, failures = 0, failing_since = null where organization_id = $1 and account_id = $2`,
    values: [ctx.organization_id, account.id],
  });
  release(ctx, job, nextRound(ctx.now, Math.random()));
}

/** Meetings that are still in another calendar now follow that one. The others are canceled. */
async function callOff(ctx: Ctx, accountId: string, gone: readonly Pick<Identity, "uid" | "occurrence">[]): Promise<void> {
  const identities = [...(await lockIdentities(ctx, gone)).values()];
  const nowhere = { account_id: "", calendar_id: "" };
  const others = await otherCopies(ctx, nowhere, gone);
  const ids = identities.flatMap(({ activity_id }) => activity_id ?? []);
  const meetings = new Map((await lockToChange(ctx, meeting, sql`t.id = any(${ids})`)).map((row) => [row.id, row]));
  for (const identity of identities) {
    const [next] = others.get(keyOf(identity)) ?? [];
    const stored = meetings.get(identity.activity_id ?? "");
    if (next !== undefined) leadOn(identity, accountId, next);
    else if (stored !== undefined) end(ctx, identity, stored);
  }
  writeIdentities(ctx, identities);
}

/** The other calendar's content is taken when it is read the next time. */
function leadOn(identity: Identity, accountId: string, { account_id, calendar_id, event_id }: OtherCopy): void {
  if (identity.account_id === accountId) Object.assign(identity, { account_id, calendar_id, event_id, is_organizer: false });
}

function end(ctx: Ctx, identity: Identity, stored: Row<typeof meeting>): void {
  const said = callOffMeeting(ctx, stored);
  Object.assign(identity, {
    said: said ?? identity.said,
    account_id: null,
    calendar_id: null,
    event_id: null,
    is_organizer: false,
  });
}

async function showHowItWent(
  ctx: Ctx,
  { id, calendar_status, latest_calendar_error }: Turn["account"],
  readings: readonly Reading[],
): Promise<void> {
  const error = readings.find((one) => one.error !== null)?.error ?? null;
  if (error === latest_calendar_error && (error === null) === (calendar_status === "ok")) return;
  if (error === null) await mendAccount(ctx, id, ["calendar"]);
  else await failAccount(ctx, id, ["calendar"], error);
}
