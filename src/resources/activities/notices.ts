// Decides which members get a notification about an activity.
import { type Actor, type Ctx, may, userOf } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import type { StrangerCall } from "../inbox/stranger_call.ts";
import { isHiddenFrom } from "../leads/hidden_from.ts";
import { lead } from "../leads/lead.ts";
import { isNews, nameOfCaller, notify, shortened } from "../notifications/notify.ts";
import { isActiveMember } from "../organization/organization.ts";
import { ourNumber, rungBy } from "../telephony/own_numbers.ts";
import type { email } from "./email.ts";

/** The parts of an activity that notifications need. */
interface Activity {
  id: string;
  lead_id: string;
  user_id: string | null;
}

type Kind = "note" | "call" | "meeting";

const notice = (kind: Kind, { id, lead_id }: Activity, text: string | null) => ({
  body: text === null ? null : shortened(text, 200),
  object_type: `activity.${kind}`,
  object_id: id,
  lead_id,
});

export function tellMentioned(
  ctx: Ctx,
  kind: "note" | "meeting",
  of: Activity,
  ids: readonly string[],
  text: string | null,
): void {
  const title = `${nameOfCaller(ctx)} mentioned you in ${kind === "note" ? "a note" : "the notes of a meeting"}`;
  notify(ctx, ids, { ...notice(kind, of, text), type: "mention", title });
}

export const newOnes = (before: readonly string[], after: readonly string[]): string[] =>
  after.filter((id) => !before.includes(id));

export function tellAttendees(ctx: Ctx, of: Activity & { title: string | null }, ids: readonly (string | null)[]): void {
  const title = `${nameOfCaller(ctx)} planned a meeting with you`;
  notify(ctx, ids, { ...notice("meeting", of, of.title), type: "meeting_scheduled", title });
}

interface MissedCall extends Activity {
  phone: string | null;
  local_phone: string | null;
  activity_at: string;
}

/**
 * A missed call: notifies the member who was called, the lead's owner, and the others whom the number rings. Returns who they
 * are.
 */
export async function tellOfMissedCall(ctx: Ctx, of: MissedCall): Promise<string[]> {
  const responsible = await responsibleFor(ctx, of);
  if (!isNews(ctx, of.activity_at)) return responsible;
  const title = of.phone === null ? "You missed a call" : `You missed a call from ${of.phone}`;
  notify(ctx, responsible, { ...notice("call", of, null), type: "missed_call", title, actor_id: userOf(ctx) });
  return responsible;
}

/** A stranger's missed call: notifies the member whose number it is, or those whom the number rings. */
export function tellOfStrangersCall(ctx: Ctx, { phone, local_phone, user_id }: StrangerCall, prospect_id: string): void {
  notify(ctx, [user_id, ...rungBy(ctx, local_phone)], {
    type: "missed_call",
    title: phone === null ? "You missed a call" : `You missed a call from ${phone}`,
    object_type: "inbox_prospect",
    object_id: prospect_id,
    actor_id: null,
  });
}

/**
 * A text at a member's own number, filed at a lead that they do not see: they hear only that somebody wrote, and from which number.
 */
export async function tellOfHiddenText(
  ctx: Ctx,
  user_id: string | null,
  { from, to }: { from: string; to: string },
  lead_id: string,
): Promise<void> {
  const number = ourNumber(ctx, to);
  if (number === undefined || !(await isHiddenFrom(ctx, user_id ?? "", lead_id))) return;
  notify(ctx, [user_id], {
    type: "message_received",
    title: `A text came to your number from ${from}`,
    body: "It is at a lead that you do not see. Ask somebody who sees all leads to answer it, or to show you the lead.",
    object_type: "phone_number",
    object_id: number.id,
    actor_id: null,
  });
}

/** The same for a mail in a member's mailbox. */
export async function tellOfHiddenMail(ctx: Ctx, owner: Actor, mail: Row<typeof email>, account: { id: string }): Promise<void> {
  const asOwner = { ...ctx, actor: owner };
  if (mail.status !== "inbox" || mail.classification?.class !== "human" || !isNews(ctx, mail.activity_at)) return;
  if (may(asOwner, "view_all_leads") || (await findRecord(asOwner, lead, mail.lead_id)) !== null) return;
  notify(ctx, [owner.user_id], {
    type: "message_received",
    title: shortened(`A mail came to your mailbox from ${mail.sender ?? "an unknown sender"}`, 200),
    body: "It continues a thread at a lead that you do not see. Ask somebody who sees all leads to answer it, or to show you the lead.",
    object_type: "connected_account",
    object_id: account.id,
    actor_id: null,
  });
}

async function responsibleFor(ctx: Ctx, { user_id, lead_id, local_phone }: MissedCall): Promise<string[]> {
  const at = await findRecord(ctx, lead, lead_id);
  const all = [user_id, at?.owner_id ?? null, ...rungBy(ctx, local_phone)];
  return all.filter((one) => one !== null && isActiveMember(ctx.directory, one)) as string[];
}
