// The body of a delivery: the event, with at most 256 KB. The parts cut from a larger one are named, with the address of the
// whole event.
import type { Webhook } from "./turn.ts";

const bytesMost = 256 * 1024;

/** Made from the event's JSON for each attempt, always the same. `baseUrl` is the address of this service. */
export function bodyOf({ id }: Webhook, event: string, baseUrl: string): string {
  const body = (json: string) => `{"subscription_id":"${id}","event":${json}}`;
  const fits = (json: string) => Buffer.byteLength(body(json)) <= bytesMost;
  return body(fits(event) ? event : cut(event, baseUrl, fits));
}

/** The parts that may be cut, in this order, until the rest fits. The record comes first, because it can be read elsewhere. */
const parts = ["data", "previous_data", "meta"] as const;

function cut(json: string, baseUrl: string, fits: (json: string) => boolean): string {
  const whole = JSON.parse(json);
  const truncated: string[] = [];
  const left = { ...whole, data_truncated: true, truncated, event_url: `${baseUrl}/api/v1/event/${whole.id}/` };
  let text = json;
  for (const part of parts) {
    if (fits(text)) break;
    left[part] = idsOf(whole[part]);
    if (Object.keys(left[part]).length < Object.keys(whole[part]).length) truncated.push(part);
    text = JSON.stringify(left);
  }
  return text;
}

const idsOf = (part: Record<string, unknown>) => Object.fromEntries(Object.entries(part).filter(([key]) => /(^|_)id$/.test(key)));
