// What SMS and channel messages have in common when a telephony provider delivers them.
import type { Ctx } from "../../core/context.ts";
import { choice, text, timestamp } from "../../core/field.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { type DeliveryState, deliveryStates } from "../../services/telephony.ts";
import type { Attachment } from "./attachments.ts";
import type { Leaving } from "./leaving.ts";
import { checkNotSending } from "./message_states.ts";

export const carriedFields = {
  delivery_status: choice(deliveryStates, { readOnly: true, doc: "The delivery status that the provider reports." }),
  provider_id: text({ readOnly: true, hidden: true, doc: "The provider's id of the message." }),
  sending_account: text({ readOnly: true, hidden: true, doc: "The account at the provider that is sending it." }),
  turn_at: timestamp({ readOnly: true, hidden: true, doc: "When it may leave by the pace of its number." }),
};

/** An SMS, or a message of a channel that the provider serves. */
export type Text = Leaving & {
  local_phone: string | null;
  remote_phone: string | null;
  text: string | null;
  attachments: Attachment[];
  delivery_status: DeliveryState | null;
  provider_id: string | null;
  sending_account: string | null;
  turn_at: string | null;
  /** Only for channel messages. */
  channel?: string;
};

/** A message that is taken back, or put into the outbox again, keeps nothing of an earlier attempt. */
export const anew = { error_message: null, delivery_status: null, provider_id: null, sending_account: null, turn_at: null };

/** A message that is being sent cannot be deleted until the result is known. */
export const deleteCarried = <R extends Resource>(of: R) => ({
  async delete(ctx: Ctx, before: Row<R>): Promise<void> {
    checkNotSending(before as unknown as Text);
    await store.remove(ctx, of, [before]);
  },
});
