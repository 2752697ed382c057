// Sends requests to a provider's calendar API in the name of an account, and translates its errors.
import type { Core } from "../../core/core.ts";
import { type Answer, askPublic, jsonOf } from "../../services/ask_public.ts";
import { NotPosted } from "../../services/post_public.ts";
import { oneLine } from "../../values/one_line.ts";
import { accessTokenOf, forgetToken, TokenUnavailable } from "../accounts/oauth/access_token.ts";
import type { OfAccount } from "../accounts/oauth/grants.ts";
import { afterWait } from "../webhooks/schedule.ts";

/** There is no answer now. A retry may help, at `at` or later if the provider sets a time. */
export class AskLater extends Error {
  readonly at: Date | null;

  constructor(message: string, at: Date | null = null) {
    super(message);
    this.at = at;
  }
}

/** The calendar cannot be read as it is, and a retry does not help. */
export class NotReadable extends Error {}

/** The calendar no longer exists, or was hidden from the account. */
export class CalendarGone extends Error {}

/** The provider no longer knows what has changed since the cursor. */
export class CursorLost extends Error {}

export interface Asking {
  core: Core;
  account: OfAccount;
  /** The provider's name for people. */
  name: string;
}

export interface Request {
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON, by POST. */
  json?: unknown;
}

/** A page of events with long texts fits. */
const limits = { wholeMs: 20_000, bytes: 32 * 1024 * 1024 };

/** The response as JSON. */
export async function askApi({ core, account, name }: Asking, { url, headers, json }: Request): Promise<any> {
  const token = await accessTokenOf(core, account, "calendar").catch((error) => {
    if (error instanceof TokenUnavailable) throw new AskLater(error.message);
    throw error;
  });
  const asking = {
    method: json === undefined ? ("GET" as const) : ("POST" as const),
    url,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      ...(json !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  };
  const answer = await askPublic(core.settings.addresses, asking, limits).catch((error) => {
    if (error instanceof NotPosted) throw new AskLater(`${name} ${error.message}`);
    throw error;
  });
  if (answer.status === 401) await forgetToken(core, account, token);
  const said = jsonOf(answer);
  if (answer.status === 200 && said !== null) return said;
  throw problemOf(name, answer, said, core.clock());
}

/** Google reports too many requests as forbidden, with a reason. */
const isTooMuch = (said: any): boolean =>
  (said?.error?.errors ?? []).some(({ reason }: { reason?: string }) => /rateLimitExceeded|quotaExceeded/i.test(reason ?? ""));

function problemOf(name: string, { status, retryAfter }: Answer, said: any, now: Date): Error {
  const words = typeof said?.error?.message === "string" ? `: ${oneLine(said.error.message, 300)}` : "";
  const message = `${name} answered ${status}${words}`;
  if (status === 410) return new CursorLost(message);
  if (status === 404) return new CalendarGone(message);
  const isLater = status === 200 || status === 401 || status === 429 || status >= 500 || (status === 403 && isTooMuch(said));
  return isLater ? new AskLater(message, afterWait(retryAfter, now)) : new NotReadable(message);
}
