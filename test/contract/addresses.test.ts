// Addresses chosen by users: every place that stores an address to be called accepts only public ones, at web ports.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../support/given.ts";

const elsewhere = [
  "http://10.0.0.8/",
  "http://localhost/",
  "http://ip6-localhost:8080/",
  "http://intranet/",
  "https://93.184.216.34:0/",
  "https://93.184.216.34:22/",
  "http://93.184.216.34:6379/",
];
const good = ["https://93.184.216.34/", "http://93.184.216.34:8080/"];

/** Saves an address and returns the status. */
const places: Record<string, (acme: Workspace, url: string) => Promise<number>> = {
  "of a webhook": async (acme, url) => (await acme.ask("POST", "/webhook/", { body: { url, events: ["lead.created"] } })).status,
  "of a provider": async (acme, base_url) =>
    (await acme.ask("PUT", "/credentials/openai/", { body: { api_key: "key", base_url } })).status,
  "that an automation calls": async (acme, url) => {
    const actions = [{ type: "call_webhook", config: { url } }];
    return (await acme.ask("POST", "/automation/", { body: { name: "Tell", trigger: "lead.created", actions } })).status;
  },
  "of a mailing export": async (acme, url) =>
    (await acme.ask("POST", "/mailing_export/", { body: { platform: "webhook", config: { url } } })).status,
};

describe("an address", () => {
  for (const [place, save] of Object.entries(places))
    test(`${place} is public, at a port of the web`, async () => {
      const acme = await organization();

      for (const url of elsewhere) assert.equal(await save(acme, url), 400, url);
      for (const url of good) assert.ok((await save(acme, url)) < 300, url);
    });

  test("of a mail server is public", async () => {
    const acme = await organization();

    for (const host of ["10.0.0.8", "localhost", "ip6-localhost", "intranet"]) {
      await acme.refused(400, "PUT", "/credentials/smtp/", { host, port: 25 }, "host");
      const account = { email: "ann@example.com", smtp: { host, password: "secret" } };
      await acme.refused(400, "POST", "/connected_account/", account, "smtp.host");
    }
  });
});
