// `GET /dialer/token/`: what lets a browser or a phone call through the organization's telephony provider.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";

export const dialerToken = operation({
  name: "dialer.token",
  method: "GET",
  path: "/dialer/token/",
  doc: "Answers a short-lived token to call with. Refused while no telephony provider is connected.",
  permission: "calling",
  mcp: false,
  input: {},
  output: z.strictObject({
    token: z.string(),
    identity: z.string(),
    expires_at: z.iso.datetime(),
    ttl: z.int(),
    provider: z.string(),
  }),
  async run() {
    throw invalid({}, "No telephony provider is connected: calls can be logged, but not made from here.");
  },
});
