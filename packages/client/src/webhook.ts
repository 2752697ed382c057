import { Webhook } from "standardwebhooks";
import type { Event } from "./calls.ts";

export interface Delivery {
  /** The webhook that sends. */
  subscription_id: string;
  event: Event;
  /** The same in every attempt: store it for a few days and ignore what has been here. */
  id: string;
}

type Headers = { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * What a delivery says, if it is from your webhook: signed with its `signature_key` and no older than five minutes. Otherwise it
 * throws. `body` is the text or the bytes as they came, before anything parsed them.
 */
export function verifyWebhook(body: string | Uint8Array, headers: Headers, signatureKey: string): Delivery {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const signed = Object.fromEntries(signedHeaders.map((name) => [name, valueOf(headers, name)]));
  const delivery = new Webhook(signatureKey).verify(text, signed) as Omit<Delivery, "id">;
  return { ...delivery, id: signed["webhook-id"]! };
}

const signedHeaders = ["webhook-id", "webhook-timestamp", "webhook-signature"];

function valueOf(headers: Headers, name: string): string {
  const value =
    typeof headers.get === "function" ? (headers as { get(name: string): string | null }).get(name) : (headers as any)[name];
  return String(value ?? "");
}
