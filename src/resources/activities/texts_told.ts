// The provider's status reports about a text: how far it got, or why not. Reports may be repeated and come in any order.
import type { Ctx } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";
import { asService, readingAs, systemActor } from "../../records/acting.ts";
import { findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import type { DeliveryState, ToldText } from "../../services/telephony.ts";
import { messageChanged } from "../conversations/keep_up.ts";
import { type Called, signedRoute } from "../telephony/called.ts";
import type { Text } from "./carried.ts";
import { channelMessage } from "./channel_message.ts";
import { hasFailed, releaserOf } from "./leaving.ts";
import { sms } from "./sms.ts";
import { attemptOf, lockText, textLeft } from "./texts_out.ts";

export const textTold = signedRoute({
  name: "provider.message_state",
  parts: ["message", "{id}", "{attempt}"],
  doc: "A status report about a text.",
  async run(called) {
    const { core, organization_id, connected, occasion, params, form } = called;
    const told = connected.provider.readState(form);
    const ctx = await readingAs(core, systemActor(organization_id), occasion);
    for (const kind of [sms, channelMessage] as Resource[]) {
      const found = (await findRecord(ctx, kind, params.id!)) as Text | null;
      if (found !== null)
        await asService(core, organization_id, releaserOf(found), occasion, (inside) => note(inside, kind, called, told));
    }
    return null;
  },
});

/** The order of the states. Those that exclude each other have the same number. */
const steps: Record<DeliveryState, number> = { queued: 0, sent: 1, delivered: 2, undelivered: 2, failed: 2, read: 3 };

async function note(ctx: Ctx, of: Resource, { params, connected }: Called, told: ToldText): Promise<void> {
  const text = await lockText(ctx, of, params.id!);
  if (text === null) return;
  if (text.provider_id === null && isOfAttempt(text, params.attempt!, connected.provider.account))
    return textLeft(ctx, of, text, told);
  if (text.provider_id !== told.id || steps[told.state] <= steps[text.delivery_status ?? "queued"]) return;

  const values = { delivery_status: told.state };
  if (told.failure !== null && text.status === "sent")
    return hasFailed(ctx, of, text, { error_class: "undelivered", error_message: told.failure }, { values });
  await messageChanged(ctx, of, text, store.update(ctx, of, text, values));
}

/** The response to the attempt has not come yet, or never came, so that the result was unknown. */
const isOfAttempt = (text: Text, attempt: string, account: string): boolean =>
  text.sending_account === account && (text.sending_at === null ? text.status === "error" : attemptOf(text) === attempt);
