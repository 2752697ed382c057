// What a text that came in does to the sequences of the contact who wrote it, whichever channel it came by.
import type { Ctx } from "../../core/context.ts";
import { endWays, stopOthers } from "../sequences/stops.ts";
import { wishIn } from "../telephony/stop_words.ts";

interface Received {
  lead_id: string;
  contact_id: string | null;
  text: string | null;
}

/** It is an answer, unless it only asks for no more texts, or for texts again. */
export async function followText(ctx: Ctx, { lead_id, contact_id, text }: Received): Promise<void> {
  const wish = wishIn(text ?? "");
  if (contact_id === null || wish === "start") return;
  const ended = await endWays(ctx, { addresses: [], contact_id }, wish === "stop" ? "unsubscribed" : "texted");
  if (wish === null && ended.length > 0) await stopOthers(ctx, lead_id, ended);
}
