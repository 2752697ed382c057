// Credentials: the keys of other services, which only admins set and nobody reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const twilio = { account_sid: "AC123", auth_token: "0123456789abcdef" };
const find = async (ws: Workspace, service: string) =>
  (await ws.get("/credentials/")).data.find((one: any) => one.service === service);

test("every known service is listed, with what it asks for", async () => {
  const acme = await organization();

  const { data, has_more } = await acme.get("/credentials/");

  assert.equal(data.length, 14);
  assert.equal(has_more, false);
  const one = data.find((row: any) => row.service === "twilio");
  assert.equal(one.category, "telephony");
  assert.equal(one.is_connected, false);
  assert.deepEqual(one.fields[1], { name: "auth_token", label: "Auth token", type: "text", secret: true, required: true });
  assert.deepEqual(Object.keys((await acme.get("/credentials/?_limit=1&_fields=service")).data[0]), ["service"]);
});

test("a secret shows its last characters, and is stored sealed", async () => {
  const acme = await organization();

  const answer = await acme.put("/credentials/twilio/", twilio);

  assert.equal(answer.is_connected, true);
  assert.equal(answer.connected, true);
  assert.deepEqual(answer.values, { account_sid: "AC123", auth_token: "••••cdef" });
  assert.deepEqual((await find(acme, "twilio")).values, answer.values);
  assert.equal(answer.updated_by, acme.userId);
  const [row] = await acme.service.app.db.unscoped({
    text: "select to_jsonb(t)::text from credential t where organization_id = $1",
    values: [acme.id],
  });
  assert.ok(!row![0]!.includes(twilio.auth_token));
  assert.ok(!JSON.stringify(await acme.get("/event/")).includes("twilio"));
});

test("of a short secret nothing is shown", async () => {
  const acme = await organization();

  const answer = await acme.put("/credentials/peopledatalabs/", { api_key: "short" });

  assert.deepEqual(answer.values, { api_key: "••••" });
});

test("fields may be nested, can be changed one at a time, and can be written back as read", async () => {
  const acme = await organization();
  await acme.put("/credentials/twilio/", { values: twilio });

  const changed = await acme.put("/credentials/twilio/", { credentials: { account_sid: "AC456" } });
  const back = await acme.put("/credentials/twilio/", changed);

  assert.deepEqual(changed.values, { account_sid: "AC456", auth_token: "••••cdef" });
  assert.deepEqual(back, changed);
});

test("what is missing, of another kind or unknown is named", async () => {
  const acme = await organization();

  await acme.refused(400, "PUT", "/credentials/twilio/", { account_sid: "AC1" }, "auth_token");
  await acme.refused(400, "PUT", "/credentials/twilio/", { account_sid: 1, auth_token: "x" }, "account_sid");
  await acme.refused(400, "PUT", "/credentials/smtp/", { host: "mail.example.com", port: "25" }, "port");
  await acme.refused(400, "PUT", "/credentials/smtp/", { host: "10.0.0.1", port: 25 }, "host");
  await acme.refused(400, "PUT", "/credentials/openai/", { api_key: "x", base_url: "ftp://a" }, "base_url");
  await acme.refused(404, "PUT", "/credentials/fax/", twilio);
  const strict = await acme.ask("PUT", "/credentials/twilio/", {
    body: { ...twilio, auth_tokn: 1 },
    headers: { prefer: "handling=strict" },
  });
  assert.ok("auth_tokn" in strict.body["field-errors"], strict.text);
});

test("what a service must have cannot be cleared; deleting forgets all of it, once", async () => {
  const acme = await organization();
  await acme.put("/credentials/twilio/", twilio);

  await acme.refused(400, "PUT", "/credentials/twilio/", { auth_token: null }, "auth_token");
  assert.deepEqual(await acme.delete("/credentials/twilio/"), {});

  assert.equal((await find(acme, "twilio")).is_connected, false);
  await acme.refused(404, "DELETE", "/credentials/twilio/");
});

test("what becomes a part of an address has its form, so that it leads nowhere else", async () => {
  const acme = await organization();
  const whole: Record<string, object> = {
    smtp: { host: "mail.example.com", port: 25 },
    mailchimp: { api_key: "x", server_prefix: "us21" },
    mailgun: { api_key: "x", domain: "mg.example.com", region: "eu" },
    customerio: { site_id: "a1", api_key: "x", region: "us" },
    microsoft: { client_id: "a-1", client_secret: "x", tenant_id: "common" },
    twilio: { account_sid: "AC1", auth_token: "x", messaging_service_sid: "MG1" },
    google: { client_id: "b", client_secret: "c" },
    openai: { api_key: "x", base_url: "https://example.com/v1" },
  };
  const elsewhere = ["evil.example/", "a@evil.example", "a:25", "a#", "a?b", "a b", "us21\r\nX-A: b", "a/../b", "..", "a\u0000"];

  for (const [service, values] of Object.entries(whole)) {
    const path = `/credentials/${service}/`;
    await acme.put(path, values);
    for (const [name, value] of Object.entries(values).filter(([, value]) => typeof value === "string"))
      for (const text of /secret|key|token/.test(name) ? ["a\r\nb", "a\u0000"] : elsewhere)
        await acme.refused(400, "PUT", path, { ...values, [name]: name === "base_url" ? `${value}#${text}` : text }, name);
  }
});

test("a secret must be given again for another host, so that nobody learns it by pointing the service there", async () => {
  const acme = await organization();
  await acme.put("/credentials/smtp/", { host: "mail.example.com", port: 25, password: "hunter2" });
  await acme.put("/credentials/openai/", { api_key: "sk-1" });

  await acme.refused(400, "PUT", "/credentials/smtp/", { host: "mail.elsewhere.example" }, "password");
  await acme.refused(400, "PUT", "/credentials/openai/", { base_url: "https://elsewhere.example/v1" }, "api_key");
  await acme.put("/credentials/smtp/", { port: 465 });
  await acme.put("/credentials/smtp/", { host: "mail.elsewhere.example", password: "hunter2" });
  const moved = await acme.put("/credentials/openai/", { base_url: "https://elsewhere.example/v1", api_key: "sk-2" });

  assert.equal(moved.values.base_url, "https://elsewhere.example/v1");
});

test("only admins see and set them", async () => {
  const acme = await organization();
  const boss = await acme.member("superuser");

  await boss.refused(403, "GET", "/credentials/");
  await boss.refused(403, "PUT", "/credentials/twilio/", twilio);
  await boss.refused(403, "DELETE", "/credentials/twilio/");
});

test("two admins who connect a service at once leave one connection", async () => {
  const acme = await organization();

  await Promise.all(["a", "b", "c"].map((sid) => acme.put("/credentials/twilio/", { ...twilio, account_sid: sid })));

  const [row] = await acme.service.app.db.unscoped({
    text: "select count(*) from credential where organization_id = $1",
    values: [acme.id],
  });
  assert.equal(row![0], "1");
});
