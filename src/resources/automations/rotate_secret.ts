// `POST /automations/{id}/rotate_secret/`: gives the automation's address a new secret. The former one is good for another day, so that
// the sender can switch without losing a call.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { hookTrigger, openHook, sealHook, verificationOf } from "./hooks/hook.ts";
import { keyOf, newSecret, secretForm } from "./hooks/keys.ts";
import { checkLending } from "./lent_rights.ts";
import { workflow } from "./workflow.ts";

const goodForMs = 24 * 3_600_000;

export const rotateHookSecret = operation({
  name: "automations.rotate_secret",
  method: "POST",
  path: "/automations/{id}/rotate_secret/",
  doc: "Gives the address of an automation a new secret, which is shown only now. The former one is good for another 24 hours.",
  permission: "manage_email_sequences",
  narrows: true,
  mcp: false,
  outlasts: true,
  input: {
    id: z.string(),
    signing_secret: z
      .string()
      .max(500)
      .optional()
      .describe("The secret of a service that makes its own, such as Stripe or Close. Without it, one is made."),
  },
  output: z.strictObject({
    id: z.string(),
    signing_secret: z.string().describe("The new secret."),
    previous_secret_until: z.iso.datetime().describe("Until then the former secret is accepted too."),
  }),
  async run(ctx, { id, signing_secret: given }) {
    const before = await lockRecord(ctx, workflow, id);
    const { published, sealed_hook_secret } = before;
    if (sealed_hook_secret === null || published?.trigger.type !== hookTrigger)
      throw invalid({ trigger: `is not ${hookTrigger} in the active version: publish it first` });
    // Who has the secret starts it, with the rights that it has.
    checkLending(ctx, published.settings.run_as_user_id);
    const by = verificationOf(published);
    if (given !== undefined && keyOf(by, given) === null) throw invalid({ signing_secret: secretForm(by) });

    const { secrets } = ctx.settings;
    const signing_secret = given ?? newSecret(by);
    const previous_secret_until = new Date(ctx.now.getTime() + goodForMs).toISOString();
    const previous = openHook(secrets, before, "sealed_hook_secret", sealed_hook_secret);
    store.update(ctx, workflow, before, {
      sealed_hook_secret: sealHook(secrets, before, "sealed_hook_secret", signing_secret),
      sealed_hook_previous: sealHook(secrets, before, "sealed_hook_previous", previous),
      hook_previous_until: previous_secret_until,
    });
    return { id, signing_secret, previous_secret_until };
  },
});
