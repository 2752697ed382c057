// Pauses a webhook by itself, and notifies the member who created it.
import { type Ctx, write } from "../../core/context.ts";
import { notify } from "../notifications/notify.ts";
import { adminsOf } from "../organization/user.ts";
import type { Webhook } from "./turn.ts";

export type PauseReason = "failures" | "gone" | "creator";

/**
 * Joins the transaction. Open deliveries stay, and continue when somebody sets the webhook active. `why` is for the member who
 * created it, or for the admins when that member has left.
 */
export function pause(ctx: Ctx, { id, url, created_by }: Webhook, reason: PauseReason, why = reasons[reason]): void {
  write(ctx, {
    name: "webhook.pause",
    text: `update webhook set status = 'paused', pause_reason = $3, probe_at = null, probes = 0 where organization_id = $1 and id = $2`,
    values: [ctx.organization_id, id, reason],
  });
  notify(ctx, reason === "creator" ? adminsOf(ctx.directory) : [created_by], {
    type: "webhook_paused",
    title: `The webhook to ${new URL(url).host} was paused`,
    body: why,
    object_type: "webhook",
    object_id: id,
    data: { pause_reason: reason },
    actor_id: null,
  });
}

const reasons: Record<PauseReason, string> = {
  failures: "Every delivery has failed for 72 hours. New events wait until you set it active again.",
  gone: "Its receiver returned 410, which means that it is gone for good.",
  creator: "The member who created it has left, and it sends what they may see. Create a new one in your own name.",
};
