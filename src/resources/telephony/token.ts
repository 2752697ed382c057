// `GET /dialer/token/`: lets a browser or a phone call through the organization's telephony provider.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { connectedProvider } from "./provider.ts";

/** One hour. */
const ttl = 3600;

export const dialerToken = operation({
  name: "dialer.token",
  method: "GET",
  path: "/dialer/token/",
  doc: "Returns a token for calls from the caller's browser, valid for an hour. Refused while no telephony provider is connected.",
  permission: "calling",
  mcp: false,
  input: {},
  output: z.strictObject({
    token: z.string().describe("An access token of the provider, for its SDK."),
    identity: z.string().describe("The name under which the provider rings this browser: the caller's user id."),
    expires_at: z.iso.datetime(),
    ttl: z.int().describe("In seconds."),
    provider: z.string(),
  }),
  async run(ctx) {
    const connected = await connectedProvider(ctx);
    if (connected === null) throw invalid({}, "No telephony provider is connected: calls can be logged, but not made from here.");
    const { provider, addressOf } = connected;
    const identity = ctx.actor.user_id;
    const token = await provider.token(identity, ttl);
    if (token === null) throw invalid({}, lacking(addressOf("call", "browser")));
    const expires_at = new Date(ctx.now.getTime() + ttl * 1000).toISOString();
    return { token, identity, expires_at, ttl, provider: provider.carrier };
  },
});

const lacking = (address: string): string =>
  `Calls from a browser need an API key and a TwiML app of Twilio: an admin can store api_key_sid, api_key_secret and application_sid. The voice URL of the app is ${address}`;
