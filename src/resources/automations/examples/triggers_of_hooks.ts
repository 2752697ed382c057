// Triggers that calls of other services start.
import assert from "node:assert/strict";
import type { TriggerExample } from "./example.ts";

export const hookTriggerExamples: Record<string, TriggerExample> = {
  "webhook.received": {
    config: {
      verification: { mode: "none" },
      record_lookup: { object_type: "contact", match: [{ field: "email", value: { $ref: "trigger.payload.email" } }] },
    },
    async act(acme, made) {
      const contact = await acme.contact({ emails: [{ email: "ada@example.com" }] });
      const { pathname } = new URL(made.webhook.url);
      for (const email of ["nobody@example.com", "Ada@example.com"]) {
        const answer = await fetch(acme.service.url + pathname, { method: "POST", body: JSON.stringify({ email }) });
        assert.equal(answer.status, 202);
      }
      return contact.id;
    },
  },
};
