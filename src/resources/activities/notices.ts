// Which members get a notification about an activity.
import type { Ctx } from "../../core/context.ts";
import { findRecord } from "../../records/records.ts";
import { lead } from "../leads/lead.ts";
import { isNews, nameOfCaller, notify, shortened } from "../notifications/notify.ts";

/** As much of an activity as is told of. */
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

/** Somebody called and nobody answered: whose call it was, and whose lead. */
export async function tellOfMissedCall(ctx: Ctx, of: Activity & { phone: string | null; activity_at: string }): Promise<void> {
  if (!isNews(ctx, of.activity_at)) return;
  const title = of.phone === null ? "You missed a call" : `You missed a call from ${of.phone}`;
  notify(ctx, await responsible(ctx, of), { ...notice("call", of, null), type: "missed_call", title });
}

async function responsible(ctx: Ctx, { user_id, lead_id }: Activity): Promise<(string | null)[]> {
  const at = await findRecord(ctx, lead, lead_id);
  return [user_id, at?.owner_id ?? null];
}
