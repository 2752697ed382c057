// Automations that other services start. Each signature is made here as the sender's public document says, not by our code.
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { chain } from "../../../../test/support/automations.ts";
import { atMoment } from "../../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../../test/support/given.ts";
import { startService } from "../../../../test/support/service.ts";
import { withWorker } from "../../../../test/support/worker.ts";
import { type Ctx, query } from "../../../core/context.ts";

const graph = chain(["set.vars", { values: { heard: { $ref: "trigger.payload.n" } } }]);
type Signed = Record<string, string>;

/** A published automation with an address, and how to call it. */
async function hooked(acme: Workspace, config: object, body: object = {}) {
  const trigger = { type: "webhook.received", config };
  const { id } = await acme.post("/automations/", { name: "Hear", trigger, graph, ...body });
  const made = await acme.post(`/automations/${id}/publish/`, {});
  const { pathname } = new URL(made.webhook.url);
  const call = async (sent: string | Buffer<ArrayBuffer>, headers: Signed = {}) => {
    const answer = await fetch(acme.service.url + pathname, { method: "POST", body: sent, headers });
    return { status: answer.status, body: (await answer.json()) as any };
  };
  return { id, path: `/automations/${id}/`, made, secret: made.webhook.signing_secret as string, call };
}

async function work(acme: Workspace): Promise<void> {
  await withWorker(acme.service, async (worker) => {
    for (let i = 0; i < 3; i++) await worker.drained();
  });
}

const heardBy = async (acme: Workspace, id: string): Promise<any> =>
  (await acme.all("/automation_events/")).find((one) => one.id === id);
const seconds = (acme: Workspace, ago = 0) => Math.floor((acme.service.clock.now ?? new Date()).getTime() / 1000) - ago;

describe("a call is accepted with the signature of its sender, and refused with any other", () => {
  /** `config` is what a user writes for this sender. `sign` follows the sender's document. */
  const senders: Record<
    string,
    { config: object; secret?: string; isDated: boolean; sign(secret: string, body: string, at: number): Signed }
  > = {
    // https://www.standardwebhooks.com
    standard: {
      config: { mode: "standard" },
      isDated: true,
      sign: (secret, body, at) => ({
        "webhook-id": `msg_${body.length}`,
        "webhook-timestamp": String(at),
        "webhook-signature": `v1,AAAA ${new StandardWebhook(secret).sign(`msg_${body.length}`, new Date(at * 1000), body)}`,
      }),
    },
    // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    GitHub: {
      config: { mode: "hmac_custom", header: "X-Hub-Signature-256", prefix: "sha256=" },
      isDated: false,
      sign: (secret, body) => ({ "X-Hub-Signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` }),
    },
    // https://docs.stripe.com/webhooks#verify-manually
    Stripe: {
      config: { mode: "hmac_custom", header: "Stripe-Signature", prefix: "v1=", signed: "timestamp.body" },
      secret: "whsec_of_the_dashboard_of_stripe",
      isDated: true,
      sign: (secret, body, at) => ({
        "Stripe-Signature": `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")},v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39`,
      }),
    },
    // https://shopify.dev/docs/apps/build/webhooks/subscribe/https
    Shopify: {
      config: { mode: "hmac_custom", header: "X-Shopify-Hmac-SHA256", encoding: "base64" },
      isDated: false,
      sign: (secret, body) => ({ "X-Shopify-Hmac-SHA256": createHmac("sha256", secret).update(body, "utf8").digest("base64") }),
    },
    // https://developer.close.com/resources/webhook-subscriptions/
    Close: {
      config: {
        mode: "hmac_custom",
        header: "Close-Sig-Hash",
        timestamp_header: "Close-Sig-Timestamp",
        signed: "{timestamp}{body}",
        key_encoding: "hex",
      },
      secret: randomBytes(32).toString("hex"),
      isDated: true,
      sign: (secret, body, at) => ({
        "close-sig-timestamp": String(at),
        "close-sig-hash": createHmac("sha256", Buffer.from(secret, "hex")).update(`${at}${body}`).digest("hex"),
      }),
    },
    "a token": {
      config: { mode: "token" },
      isDated: false,
      sign: (secret) => ({ authorization: `Bearer ${secret}` }),
    },
    "a token in a header of its own": {
      config: { mode: "token", header: "X-Api-Token" },
      isDated: false,
      sign: (secret) => ({ "x-api-token": secret }),
    },
  };

  for (const [name, { config, secret: given, isDated, sign }] of Object.entries(senders))
    test(name, async () => {
      const acme = await organization();
      const { path, call, ...made } = await hooked(acme, { verification: config });
      const body = '{ "n": 1,\n "word": "Zoë" }';
      const secret = given ?? made.secret;
      if (given !== undefined) await acme.post(`${path}rotate_secret/`, { signing_secret: given });
      const now = seconds(acme);

      const first = await call(body, sign(secret, body, now));
      const again = await call(body, sign(secret, body, now - 20));
      const refused = [
        await call(body),
        await call(body, sign(`${secret.slice(0, -2)}${secret.endsWith("00") ? "11" : "00"}`, body, now)),
        ...("token" === (config as any).mode ? [] : [await call(`${body} `, sign(secret, body, now))]),
        ...(isDated ? [await call('{"n":2}', sign(secret, '{"n":2}', now - 301))] : []),
      ];

      assert.equal(first.status, 202, JSON.stringify(first.body));
      assert.deepEqual(again, first);
      assert.deepEqual(
        refused.map(({ status }) => status),
        refused.map(() => 401),
      );
      const { webhook } = await acme.get(path);
      assert.deepEqual([webhook.refused, webhook.verification], [refused.length, (config as any).mode]);
    });
});

describe("a call", () => {
  test("starts a run with its payload and headers, once, and is seen in the log without what it was signed with", async () => {
    const acme = await organization();
    const steps = chain([
      "set.vars",
      { values: { n: { $ref: "trigger.payload.n" }, from: { $ref: "trigger.headers.user-agent" } } },
    ]);
    const { id, made, call, secret } = await hooked(acme, { verification: { mode: "token" } }, { graph: steps });
    const headers = { authorization: `Bearer ${secret}`, "user-agent": "Them/1.0", "webhook-id": "msg_1" };

    const sent = [await call('{"n":7}', headers), await call('{"n":8}', headers)];
    const form = await call("n=9&word=a+b", {
      ...headers,
      "webhook-id": "msg_2",
      "content-type": "application/x-www-form-urlencoded",
    });
    const odd = await call("__proto__=1", { ...headers, "content-type": "application/x-www-form-urlencoded" });
    await work(acme);

    assert.deepEqual(sent[0], sent[1]);
    assert.deepEqual([odd.status, Object.keys(odd.body["field-errors"])], [400, ["__proto__"]]);
    const runs = await acme.all(`/automations/${id}/runs/`);
    assert.deepEqual(
      runs.map((run) => [run.kind, run.status, run.vars.n, run.vars.from, run.event_id]).sort(),
      [
        ["webhook", "completed", "9", "Them/1.0", form.body.event_id],
        ["webhook", "completed", 7, "Them/1.0", sent[0]!.body.event_id],
      ].sort(),
    );
    const event = await acme.get(`/event/${sent[0]!.body.event_id}/`);
    assert.deepEqual([event.event, event.object_id, event.data.payload], ["webhook.received", id, { n: 7 }]);
    const heard = await heardBy(acme, event.id);
    assert.deepEqual(
      [heard.type, heard.source, heard.automation_id, heard.payload],
      ["webhook.received", "webhook", id, { n: 7 }],
    );
    assert.deepEqual([heard.run_ids.length, heard.evaluations[0].result], [1, "started"]);
    const restricted = await acme.member("restricteduser");
    for (const path of ["event", "automation_events", "automation_runs"])
      assert.deepEqual(
        (await restricted.all(`/${path}/`)).filter((one: any) => JSON.stringify(one).includes(event.id)),
        [],
        path,
      );
    await restricted.refused(404, "GET", `/event/${event.id}/`);
    const { token } = /(?<token>[\w-]{22})$/.exec(made.webhook.url)!.groups!;
    const [own, foreign] = [await acme.get(`/automations/${id}/`), await restricted.get(`/automations/${id}/`)];
    assert.deepEqual(
      [own.webhook_url, own.webhook.url, foreign.webhook_url, foreign.webhook],
      [made.webhook.url, made.webhook.url, null, null],
    );
    const shown = [
      await acme.ask("GET", `/automations/${id}/`),
      await acme.ask("GET", "/automations/"),
      await acme.ask("GET", `/automations/${id}/versions/`),
      await acme.ask("GET", "/event/?_limit=100"),
      await acme.ask("GET", "/automation_events/"),
      await acme.ask("GET", "/automation_runs/"),
      await acme.ask("POST", `/automations/${id}/publish/`, { body: {} }),
    ];
    for (const { text } of shown) assert.ok(!text.includes(secret), text);
    for (const i of [1, 2, 3, 4, 5]) assert.ok(!shown[i]!.text.includes(token!), shown[i]!.text);
    const stored = await acme.inside(async (ctx) => JSON.stringify(await storedColumns(ctx, id)));
    for (const text of [secret, token!]) assert.ok(!stored.includes(text));
  });

  test("is about the record that it names, which may be created for it", async () => {
    const acme = await organization();
    const lookup = { object_type: "contact", match: [{ field: "email", value: { $ref: "trigger.payload.buyer.email" } }] };
    const config = { verification: { mode: "none" }, record_lookup: lookup };
    const [finds, creates] = [await hooked(acme, config), await hooked(acme, { ...config, create_if_missing: true })];
    const filtered = await hooked(
      acme,
      {
        verification: { mode: "none" },
        payload_schema: { type: "object", required: ["n"], properties: { n: { type: "integer" } } },
      },
      { filter: { all: [{ type: "field", ref: "trigger.payload.n", op: "gt", value: 5 }] } },
    );
    const draft = { ...config, record_lookup: { ...lookup, match: [{ field: "emails.email", value: "x" }] } };
    const { id } = await acme.post("/automations/", {
      name: "Finds",
      trigger: { type: "webhook.received", config: draft },
      graph,
    });
    const place = "trigger.config.record_lookup.match.0.field";
    await acme.refused(400, "POST", `/automations/${id}/publish/`, {}, place);
    const ada = await acme.contact({ emails: [{ email: "ada@example.com" }] });
    const buyer = (email: string, n = 1) => JSON.stringify({ n, buyer: { email } });

    const found = await finds.call(buyer("ADA@example.com"));
    const missing = await finds.call(buyer("carl@example.com"));
    const without = await finds.call("{}");
    const made = [await creates.call(buyer("bob@example.com")), await creates.call(buyer("bob@example.com", 2))];
    const bad = await creates.call(buyer("not an address"));
    const slow = await hooked(acme, {
      verification: { mode: "none" },
      payload_schema: { type: "object", properties: { q: { type: "string", pattern: "^(a+)+$" } } },
    });
    const endless = await slow.call(JSON.stringify({ q: `${"a".repeat(60)}!` }));
    const small = [await filtered.call('{"n":5}'), await filtered.call('{"n":6}'), await filtered.call('{"n":"6"}')];
    await work(acme);

    const reasons = async (sent: { body: any }) => (await heardBy(acme, sent.body.event_id)).evaluations[0];
    assert.deepEqual(
      (await acme.all(`/automations/${finds.id}/runs/`)).map((run) => [run.object_id, run.contact_id, run.lead_id]),
      [[ada.id, ada.id, ada.lead_id]],
    );
    assert.equal((await heardBy(acme, found.body.event_id)).object_id, ada.id);
    assert.equal((await reasons(missing)).reason, "record_not_found");
    assert.equal((await reasons(without)).reason, "lookup_value_missing");
    assert.equal((await reasons(bad)).reason, "refused");
    const bobs = await acme.all("/contact/?email=bob@example.com");
    assert.equal(bobs.length, 1);
    const events = await Promise.all(made.map((one) => heardBy(acme, one.body.event_id)));
    assert.deepEqual(
      events.map((one) => one.object_id),
      [bobs[0].id, bobs[0].id],
    );
    assert.deepEqual(
      (await Promise.all(small.map(reasons))).map(({ result, reason }) => [result, reason]),
      [
        ["filtered", "filter"],
        ["started", null],
        ["skipped", "payload_schema"],
      ],
    );
    assert.equal((await reasons(endless)).reason, "payload_schema");
  });

  test("creates somebody once, though several automations hear of them at the same moment", async () => {
    const acme = await organization();
    const match = [{ field: "email", value: { $ref: "trigger.payload.email" } }];
    const record_lookup = { object_type: "contact", match };
    const config = { verification: { mode: "none" }, record_lookup, create_if_missing: true };
    const always = { settings: { re_enroll: "always" } };
    const [one, other] = [await hooked(acme, config, always), await hooked(acme, config, always)];

    await Promise.all(
      ["ann@x.example", "Ann@x.example", "bob@x.example"].flatMap((email) =>
        [one, other].map(({ call }) => call(JSON.stringify({ email }))),
      ),
    );
    await work(acme);

    assert.equal((await acme.all("/contact/")).length, 2);
    assert.equal((await acme.all("/automation_runs/")).length, 6);
  });

  test("is answered while the automation is paused, and skipped; a deleted one has no address", async () => {
    const acme = await organization();
    const { id, path, made, call } = await hooked(acme, { verification: { mode: "none" } });
    await acme.post(`${path}pause/`, {});

    const paused = await call('{"n":1}');
    await work(acme);
    await acme.put(path, { name: "Other", graph: chain(["set.vars", { values: { a: 1 } }]) });
    const again = await acme.post(`${path}publish/`, {});
    const active = await call('{"n":2}');
    await work(acme);

    assert.deepEqual([paused.status, paused.body.ignored, active.body.ignored], [202, true, undefined]);
    const [evaluation] = (await heardBy(acme, paused.body.event_id)).evaluations;
    assert.deepEqual([evaluation.result, evaluation.reason], ["skipped", "paused"]);
    assert.deepEqual([active.status, (await acme.all(`/automations/${id}/runs/`)).length], [202, 1]);
    assert.deepEqual(
      [again.webhook.url, again.webhook.signing_secret, again.webhook_url],
      [made.webhook.url, undefined, made.webhook.url],
    );
    const [{ code, severity }] = made.warnings;
    assert.deepEqual([code, severity], ["webhook_unverified", "warning"]);
    await acme.delete(path);
    assert.equal((await call('{"n":3}')).status, 404);
  });

  test("that was answered before a pause starts a run, as long as the pause cancels none", async () => {
    const acme = await organization();
    const [holds, cancels] = [
      await hooked(acme, { verification: { mode: "none" } }),
      await hooked(acme, { verification: { mode: "none" } }),
    ];
    for (const { call } of [holds, cancels]) await call('{"n":1}');
    await acme.post(`${holds.path}pause/`, {});
    await acme.post(`${cancels.path}pause/`, { in_flight: "cancel" });
    for (const { call } of [holds, cancels]) await call('{"n":2}');

    await work(acme);
    const held = await acme.all(`/automations/${holds.id}/runs/`);
    for (const { path } of [holds, cancels]) await acme.post(`${path}publish/`, {});
    await work(acme);

    assert.deepEqual(
      held.map((run) => [run.status, run.status_reason, run.input]),
      [["held", "paused", { n: 1 }]],
    );
    const after = await Promise.all([holds, cancels].map(({ id }) => acme.all(`/automations/${id}/runs/`)));
    assert.deepEqual(
      after.map((runs) => runs.map(({ status }) => status)),
      [["completed"], []],
    );
  });

  test("is kept as well as possible: numbers too large to be exact are the text that was sent", async () => {
    const acme = await organization();
    const { id, call } = await hooked(acme, { verification: { mode: "none" } });

    const order = await call('{"n": 820982911946154508, "small": 12.5, "much": 1e300, "note": "a\\u0000b \\ud83d"}');
    const form = await call("n=a%00b", { "content-type": "application/x-www-form-urlencoded" });
    await work(acme);

    assert.deepEqual([order.status, form.status], [202, 202]);
    const inputs = (await acme.all(`/automations/${id}/runs/`)).map(({ input }) => JSON.stringify(input)).sort();
    assert.deepEqual(
      inputs,
      [
        JSON.stringify({ n: "820982911946154508", much: "1e300", note: "a\ufffdb \ufffd", small: 12.5 }),
        JSON.stringify({ n: "a\ufffdb" }),
      ].sort(),
    );
  });

  test("that cannot be read is refused: too long, no JSON, no such address", async () => {
    const acme = await organization();
    const { made, call } = await hooked(acme, { verification: { mode: "none" } });
    const { pathname } = new URL(made.webhook.url);
    const at = async (path: string) => (await fetch(acme.service.url + path, { method: "POST", body: "{}" })).status;
    const text = (bytes: number) => `{"n":"${"x".repeat(bytes - 8)}"}`;

    assert.equal((await call(text(256 * 1024))).status, 202);
    const long = await call(text(256 * 1024 + 1));
    assert.deepEqual([long.status, long.body.error], [400, "The body must be 262144 bytes or fewer."]);
    assert.equal((await call("{")).status, 400);
    for (const value of ["[1]", "1", "null", '"paid"']) {
      const { status, body } = await call(value);
      assert.deepEqual([status, body.error], [400, "The body must be a JSON object."]);
    }
    assert.deepEqual([await at(pathname.replace(/.{4}$/, "zzzz")), await at("/hooks/x")], [404, 404]);
    assert.equal((await fetch(acme.service.url + pathname)).status, 405);
  });
});

test("a call of any size is answered in words, however it is sent", async () => {
  const acme = await organization();
  const { made } = await hooked(acme, { verification: { mode: "none" } });
  const large = Buffer.alloc(10_000_000, " ");

  for (const headers of [{ "content-length": String(large.length) }, { "transfer-encoding": "chunked" }]) {
    const request = http.request(acme.service.url + new URL(made.webhook.url).pathname, { method: "POST", headers });
    request.end(large);
    const [answer] = (await once(request, "response")) as [http.IncomingMessage];
    const body = JSON.parse(await text(answer));

    assert.deepEqual([answer.statusCode, body.error], [400, "The body must be 262144 bytes or fewer."]);
  }
});

test("a compressed call is read, is signed as it was sent, and is no larger than any other", async () => {
  const acme = await organization();
  const { id, call } = await hooked(acme, { verification: { mode: "none" } });
  const zipped = (body: string) => call(gzipSync(body), { "content-encoding": "gzip" });

  const heard = await zipped('{"n":7}');
  await work(acme);

  assert.equal(heard.status, 202);
  const [run] = (await acme.get(`/automation_runs/?automation_id=${id}`)).data;
  assert.deepEqual(run.input, { n: 7 });
  assert.equal((await zipped(" ".repeat(1_000_000))).status, 400);
  assert.equal((await call("no gzip", { "content-encoding": "gzip" })).status, 400);
  const { status, body } = await call("{}", { "content-encoding": "br" });
  assert.deepEqual([status, body.error], [400, "The body must be uncompressed, or gzip."]);
});

test("a secret is changed with a day in which both are good, by those who may publish", async () => {
  const acme = await organization();
  const { path, call, secret } = await hooked(acme, { verification: { mode: "token" } });
  const by = async (key: string, n: number) => (await call(`{"n":${n}}`, { authorization: `Bearer ${key}` })).status;
  const member = await acme.member();
  acme.service.clock.now = new Date();

  const changed = await acme.post(`${path}rotate_secret/`, {});
  const during = [await by(secret, 1), await by(changed.signing_secret, 2)];
  acme.service.clock.now = new Date(acme.service.clock.now.getTime() + 24 * 3_600_000);
  const after = [await by(secret, 3), await by(changed.signing_secret, 4)];
  acme.service.clock.now = null;

  assert.notEqual(changed.signing_secret, secret);
  assert.deepEqual(
    [during, after],
    [
      [202, 202],
      [401, 202],
    ],
  );
  assert.equal((await acme.get(path)).webhook.secret_hint, `…${changed.signing_secret.slice(-4)}`);
  await acme.refused(400, "POST", `${path}rotate_secret/`, { signing_secret: "short" }, "signing_secret");
  await member.refused(403, "POST", `${path}rotate_secret/`, {});
  const manual = await acme.post("/automations/", { name: "X", trigger: { type: "manual" }, graph });
  await acme.refused(400, "POST", `/automations/${manual.id}/rotate_secret/`, {}, "trigger");
  await acme.refused(
    400,
    "POST",
    "/automation/",
    {
      name: "X",
      trigger: { type: "webhook.received", config: { verification: { mode: "none" } } },
      actions: [{ type: "create_note", config: { note: "x" } }],
      is_active: true,
    },
    "trigger",
  );
  const wrong = {
    type: "webhook.received",
    config: { verification: { mode: "hmac_custom" }, payload_schema: { type: "strng" } },
  };
  const refusal = await acme.refused(400, "POST", "/automations/", { name: "X", trigger: wrong, graph });
  assert.deepEqual(Object.keys(refusal["field-errors"]).sort(), [
    "trigger.config.payload_schema.type",
    "trigger.config.verification.header",
  ]);
});

test("the same call is a new one after 72 hours", async () => {
  const acme = await organization();
  const { call } = await hooked(acme, { verification: { mode: "none" } });
  const now = new Date();
  const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString();

  const first = await call("{}");
  await atMoment(acme.service, later(71), "received_hooks");
  const again = await call("{}");
  await atMoment(acme.service, later(73), "received_hooks");
  const fresh = await call("{}");
  acme.service.clock.now = null;

  assert.deepEqual(again, first);
  assert.notEqual(fresh.body.event_id, first.body.event_id);
});

test("the secret of one organization opens no address of another", async () => {
  const [acme, other] = [await organization(), await organization()];
  const [mine, theirs] = [
    await hooked(acme, { verification: { mode: "token" } }),
    await hooked(other, { verification: { mode: "token" } }),
  ];

  const crossed = await theirs.call('{"n":1}', { authorization: `Bearer ${mine.secret}` });
  const right = await theirs.call('{"n":1}', { authorization: `Bearer ${theirs.secret}` });
  await work(acme);

  assert.deepEqual([crossed.status, right.status], [401, 202]);
  assert.deepEqual(await acme.all("/automation_events/"), []);
  await acme.refused(404, "POST", `${theirs.path}rotate_secret/`, {});
});

test("too many calls to one address, or wrong ones, are refused there and nowhere else", async (t) => {
  const service = await startService({ env: { RATE_LIMIT: "on", RATE_LIMIT_HOOK: "20/60", RATE_LIMIT_AUTH: "2/60" } });
  t.after(() => service.close());
  const [acme, other] = [await organization(service), await organization(service)];
  const [mine, theirs] = [
    await hooked(acme, { verification: { mode: "token" } }),
    await hooked(other, { verification: { mode: "token" } }),
  ];
  const good = (one: typeof mine, n: number) => one.call(`{"n":${n}}`, { authorization: `Bearer ${one.secret}` });

  const wrong: number[] = [];
  for (let n = 0; n < 22; n++) wrong.push((await mine.call("{}")).status);
  const still = await good(mine, 0);
  const many: number[] = [];
  for (let n = 1; n < 22; n++) many.push((await good(mine, n)).status);

  assert.deepEqual([wrong.indexOf(429), still.status, many.indexOf(429)], [20, 202, 19]);
  assert.equal((await good(theirs, 1)).status, 202);
});

async function storedColumns(ctx: Ctx, id: string): Promise<unknown> {
  return query(ctx, {
    text: "select row_to_json(a) from automation a where a.organization_id = $1 and a.id = $2",
    values: [ctx.organization_id, id],
  });
}
