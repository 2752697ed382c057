// The organization's telephony provider, and the addresses at which it calls us.
import type { Ctx } from "../../core/context.ts";
import type { Telephony } from "../../services/telephony.ts";
import { openTwilio, type TwilioAccount } from "../../services/twilio.ts";
import { noteAnswer, openedValues, storedFor } from "../accounts/open_credentials.ts";

export interface Connected {
  provider: Telephony;
  /** Where the provider calls us: `addressOf("message", id)`. */
  addressOf(...parts: readonly string[]): string;
}

export const notConnected = "no telephony provider is connected: an admin can store the credentials of Twilio";

/** Null when none is connected. */
export async function connectedProvider(ctx: Ctx): Promise<Connected | null> {
  const stored = await storedFor(ctx, "twilio");
  if (stored === null) return null;
  const account = openedValues(ctx, stored) as unknown as TwilioAccount;
  return {
    provider: openTwilio(ctx.settings.addresses, account, (problem) => noteAnswer(ctx, stored, problem)),
    addressOf: (...parts) => webhookAddress(ctx.settings.base_url, stored.webhook_token, parts),
  };
}

/** The token names the organization and is not a secret, because the requests are signed. */
const webhookAddress = (baseUrl: string, token: string, parts: readonly string[]): string =>
  `${baseUrl}/provider/twilio/${[token, ...parts].join("/")}/`;
