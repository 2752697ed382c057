// Sends the deliveries of a turn, several at a time, and records the results.
import type { KeyObject } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { chainHeader, chainOf, signedChain } from "../../services/chain.ts";
import { NotPosted, type Posted, postPublic } from "../../services/post_public.ts";
import { tellLog } from "../../values/background_log.ts";
import { bodyOf } from "./body.ts";
import { Pace } from "./pace.ts";
import { afterWait, later, nextTry } from "./schedule.ts";
import { signedHeaders, signingKey } from "./sign.ts";
import type { Delivery, Turn, Webhook } from "./turn.ts";
import type { SendingTime } from "./turn_time.ts";
import type { Attempt } from "./webhook_delivery.ts";

/** A delivery that is not started in time, or because the receiver fails, has no attempt in the end. */
export async function sendTurn(
  core: Core,
  { webhook, health, deliveries }: Turn,
  { mayBegin, over }: SendingTime,
): Promise<void> {
  const toSend = deliveries.filter((one) => !one.waits && one.json !== null);
  const keys = keysOf(core, webhook);
  const lanes = lanesOf(webhook, toSend)[Symbol.iterator]();
  const pace = new Pace(health.concurrency, mayBegin);

  await pace.run(async () => {
    for (const lane of lanes)
      for (const one of lane) {
        if (!pace.goesOn()) return;
        await send(core, webhook, keys, one, over);
        pace.note(one);
        if (one.status === "succeeded") continue;
        holdBack(lane, one);
        break;
      }
  });
}

/** A lane is sent one after the other: when order is requested, it has the events of one record. */
function lanesOf({ ordering }: Webhook, toSend: readonly Delivery[]): Delivery[][] {
  if (ordering === "none") return toSend.map((one) => [one]);
  return [...Map.groupBy(toSend, ({ object_id }) => object_id).values()];
}

/** Events behind a failed one wait with it. */
function holdBack(lane: readonly Delivery[], failed: Delivery): void {
  if (failed.next_at === null) return;
  for (const one of lane.slice(lane.indexOf(failed) + 1)) Object.assign(one, { waits: true, next_at: failed.next_at });
}

function keysOf({ settings, clock }: Core, webhook: Webhook): KeyObject[] {
  const { organization_id, id, sealed_signature_key, sealed_previous_key, previous_key_until } = webhook;
  const open = (column: string, sealed: string) =>
    signingKey(settings.secrets.open(sealed, { table: "webhook", column, organization_id, id }));
  const signsAlong = previous_key_until !== null && new Date(previous_key_until) > clock();
  return [
    open("sealed_signature_key", sealed_signature_key),
    ...(signsAlong ? [open("sealed_previous_key", sealed_previous_key!)] : []),
  ];
}

async function send(core: Core, webhook: Webhook, keys: readonly KeyObject[], one: Delivery, signal: AbortSignal): Promise<void> {
  const started = core.clock();
  const began = performance.now();
  const { id, url, verify_ssl } = webhook;
  const body = bodyOf(webhook, one.json!, core.settings.base_url);
  const headers = {
    "content-type": "application/json",
    "user-agent": "Headwater",
    "webhook-subscription": id,
    "webhook-attempt": String(one.attempt_count + 1),
    ...signedHeaders(keys, `${one.event_id}.${id}`, started, body),
    ...chainHeaders(core, webhook, one.json!, started),
  };
  const posting = { url, headers, body, verifySsl: verify_ssl, signal };
  const answer = await postPublic(core.settings.addresses, posting).catch((error) => {
    if (error instanceof NotPosted) return error;
    throw error;
  });

  const facts = { started_at: started.toISOString(), duration_ms: Math.round(performance.now() - began) };
  tellOf(webhook, one, answer, facts.duration_ms);
  if (answer instanceof NotPosted) return failed(core, one, { ...facts, ...notAnswered(answer) });
  const { status, body: response_body, retryAfter } = answer;
  if (status >= 200 && status < 300) return succeeded(one, { ...facts, ...taken, http_status: status, response_body });
  const attempt = { ...facts, http_status: status, error_class: "status" as const, error: `answered ${status}`, response_body };
  failed(core, one, attempt, status === 429 || status === 503 ? retryAfter : null);
}

/** In the log it has the id of the request that caused the event. */
function tellOf({ organization_id, id }: Webhook, one: Delivery, answer: Posted | NotPosted, ms: number): void {
  const [, request_id] = /"request_id":"([^"]+)"/.exec(one.json!) ?? [];
  const result = answer instanceof NotPosted ? { error: answer.problem } : { status: answer.status };
  const { event, event_id } = one;
  tellLog({ ...(request_id && { request_id }), organization_id, webhook_id: id, event, event_id, ...result, ms }, "delivery");
}

/** So that a webhook to our own interface does not make a loop of automations longer. */
function chainHeaders(core: Core, { organization_id }: Webhook, json: string, at: Date): Record<string, string> {
  const chain = json.includes('"automation_depth":') ? chainOf(JSON.parse(json).meta) : null;
  return chain === null ? {} : { [chainHeader]: signedChain(core.settings.secrets, organization_id, chain, at) };
}

const taken = { error_class: null, error: null };

const notAnswered = ({ problem, message }: NotPosted) => ({
  http_status: null,
  error_class: problem,
  error: message,
  response_body: "",
});

function succeeded(one: Delivery, attempt: Attempt): void {
  Object.assign(one, { attempt, status: "succeeded", next_at: null, http_status: attempt.http_status, error: null });
}

function failed(core: Core, one: Delivery, attempt: Attempt, retryAfter: string | null = null): void {
  const now = core.clock();
  one.tries++;
  one.wait_until = afterWait(retryAfter, now);
  const next = nextTry(one.tries, one.tried_since, now, Math.random());
  one.next_at = next === null || one.wait_until === null ? next : later(next, one.wait_until);
  const status = one.next_at === null ? "failed" : "retrying";
  Object.assign(one, { attempt, status, http_status: attempt.http_status, error: attempt.error });
}
