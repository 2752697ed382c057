// What a text that came in does to the sequences of the contact who wrote it, whichever channel it came by.
import type { Ctx } from "../../core/context.ts";
import { endWays, stopOthers } from "../sequences/stops.ts";
import { wishIn } from "../telephony/stop_words.ts";

interface Received {
  lead_id: string;
  contact_id: string | null;
  text: string | null;
  activity_at: string;
}

/** It is an answer, unless it only asks for no more texts, or for texts again. */
export async function followText(ctx: Ctx, received: Received): Promise<void> {
  const { contact_id, text, activity_at } = received;
  const wish = wishIn(text ?? "");
  if (contact_id === null || wish === "start") return;
  if (wish === "stop") return void (await endWays(ctx, { addresses: [], contact_id }, "unsubscribed"));
  const ended = await endWays(ctx, { addresses: [], contact_id, at: activity_at }, "texted");
  if (ended.length > 0) await stopOthers(ctx, received, ended);
}
