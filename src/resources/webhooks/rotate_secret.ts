// `POST /webhook/{id}/rotate_secret/`: creates a new signing key. The previous one signs too for a day, so that a receiver can
// switch without losing anything.
import { z } from "zod";
import { operation } from "../../core/operation.ts";
import { lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { sealFor } from "../shared/sealed.ts";
import { newKey } from "./sign.ts";
import { webhook } from "./webhook.ts";

const signsAlongMs = 24 * 3600 * 1000;

export const rotateSecret = operation({
  name: "webhook.rotate_secret",
  method: "POST",
  path: "/webhook/{id}/rotate_secret/",
  doc: "Gives the webhook a new key, which is shown only now. The previous one signs too for 24 hours.",
  permission: "member",
  mcp: false,
  outlasts: true,
  input: { id: z.string() },
  output: z.strictObject({
    id: z.string(),
    signature_key: z.string().describe("The new key."),
    previous_key_until: z.iso.datetime().describe("Until then each delivery is also signed with the previous key."),
  }),
  async run(ctx, { id }) {
    const before = await lockRecord(ctx, webhook, id);

    const signature_key = newKey();
    const previous_key_until = new Date(ctx.now.getTime() + signsAlongMs).toISOString();
    const place = { table: "webhook", column: "sealed_signature_key", organization_id: ctx.organization_id, id };
    const previous = ctx.settings.secrets.open(before.sealed_signature_key, place);
    store.update(ctx, webhook, before, {
      sealed_signature_key: sealFor(ctx, webhook, id, "sealed_signature_key", signature_key),
      sealed_previous_key: sealFor(ctx, webhook, id, "sealed_previous_key", previous),
      previous_key_until,
    });
    return { id, signature_key, previous_key_until };
  },
});
