// Which members and phones a call to one of our numbers rings: those it is for who can take it now, and the forwarding phones.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { membership } from "../organization/membership.ts";
import { user } from "../organization/user.ts";
import { forwardedTo, type Origin } from "./callable.ts";
import type { phoneNumber } from "./phone_number.ts";
import { longestCall, onlineAmong } from "./presence.ts";

type PhoneNumber = Row<typeof phoneNumber>;

export interface WhomToRing {
  /** Ids of members, who answer in their browser. */
  members: string[];
  /** E.164. */
  phones: string[];
}

/** How many the provider rings at once. */
const most = 10;

/** For a group, the ten who have not talked for the longest time. Phones have the places that are left. */
export async function whomToRing(ctx: Ctx, number: PhoneNumber, origin: Origin): Promise<WhomToRing> {
  const members = (await free(ctx, await onlineAmong(ctx, membersOf(ctx, number)))).slice(0, most);
  return { members, phones: forwardedTo(ctx, number, origin).slice(0, most - members.length) };
}

/** Those that a number is for. */
function membersOf(ctx: Ctx, { is_group_number, user_id, participants }: PhoneNumber): string[] {
  const isFor = (id: string) => (is_group_number ? participants.length === 0 || participants.includes(id) : id === user_id);
  return ctx.directory
    .list(user)
    .map(({ id }) => id)
    .filter(isFor);
}

/** Those who are not in a call, with the latest caller last. */
export async function free(ctx: Ctx, members: readonly string[]): Promise<string[]> {
  if (members.length === 0) return [];
  const rows = await query(
    ctx,
    statement(sql`select user_id, bool_or(status = 'in-progress'), max(activity_at) filter (where call_method <> 'predictive' or date_answered is not null)
      from activity
      where organization_id = ${ctx.organization_id} and _type = 'Call' and activity_at > ${ctx.now}::timestamptz - ${longestCall}::interval
        and user_id = any(${members}) group by user_id`),
  );
  const busy = new Set(rows.filter(([, isBusy]) => isBusy === "t").map(([id]) => id));
  const last = new Map(rows.map(([id, , at]) => [id!, at!]));
  return members
    .filter((id) => !busy.has(id))
    .sort((a, b) => Number((last.get(a) ?? "") > (last.get(b) ?? "")) - Number((last.get(a) ?? "") < (last.get(b) ?? "")));
}

/** Whether all of them want their calls recorded. */
export function isRecorded(ctx: Ctx, members: readonly (string | null)[]): boolean {
  const wants = new Set(
    ctx.directory
      .list(membership)
      .filter((one) => one.auto_record_calls === "enabled")
      .map((one) => one.user_id),
  );
  return members.length > 0 && members.every((id) => id !== null && wants.has(id));
}
