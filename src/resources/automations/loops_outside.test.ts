// Loops that go through HTTP: to our own interface, to our own hooks, by our own webhooks.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { chain, newLead, published, runsOf, work } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import { receiver } from "../../../test/support/receiver.ts";
import type { Service } from "../../../test/support/service.ts";

let on: Service;
before(async () => {
  on = await outboundService();
});

/** One more than a chain may have. */
const rounds = 10;
const settled = async (ws: Workspace): Promise<void> => {
  for (let i = 0; i < rounds; i++) await work(ws);
};
const reasonsOf = async (ws: Workspace): Promise<Set<string>> =>
  new Set((await ws.all("/automation_events/")).flatMap((one: any) => one.evaluations.map((each: any) => each.reason)));

test("an automation that calls our own interface ends after eight rounds", async () => {
  const acme = await organization(on);
  const graph = chain([
    "http.request",
    {
      method: "POST",
      url: `${on.url}/api/v1/lead/`,
      body: { name: "Again" },
      headers: { authorization: `Basic ${Buffer.from(`${acme.key}:`).toString("base64")}` },
    },
  ]);
  const loop = await published(acme, graph, { trigger: newLead });

  await acme.lead();
  await settled(acme);

  const runs = await runsOf(acme, loop);
  assert.deepEqual(runs.map((run) => run.causation.depth).toSorted(), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal((await acme.all("/lead/")).length, 9);
  assert.ok((await reasonsOf(acme)).has("loop_depth"));
});

test("one that calls its own address ends as well", async () => {
  const acme = await organization(on);
  const url = { $ref: "trigger.payload.url" };
  const loop = await published(acme, chain(["http.request", { method: "POST", url, body: { url } }]), {
    trigger: { type: "webhook.received", config: { verification: { mode: "none" } } },
    settings: { re_enroll: "always" },
  });
  const hook = on.url + new URL(loop.webhook.url).pathname;

  await fetch(hook, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ url: hook }) });
  await settled(acme);

  const runs = await runsOf(acme, loop);
  assert.ok(runs.length >= 1 && runs.length <= 8, `${runs.length} runs`);
  assert.ok((await reasonsOf(acme)).has("loop_depth"));
});

test("what an automation sends says so only to its own organization, for a day, and cannot be made up", async () => {
  const [acme, other] = [await organization(on), await organization(on)];
  const there = await receiver(200);
  await acme.post("/webhook/", { url: there.url, events: [{ object_type: "activity.note", action: "created" }] });
  await published(acme, chain(["note.create", { note: "Hi" }]), { trigger: newLead });
  await acme.lead();
  await work(acme);
  const header = there.received.find(({ headers }) => headers["x-headwater-chain"] !== undefined)!.headers[
    "x-headwater-chain"
  ] as string;
  const depthOf = async (ws: Workspace, sent: string) => {
    const { id } = await ws.post("/lead/", { name: "Echo" }, { "x-headwater-chain": sent });
    return (await ws.events(id))[0].meta.automation_depth ?? null;
  };

  const own = await depthOf(acme, header);
  const others = await depthOf(other, header);
  const [said] = header.split(".");
  const forged = [
    `${said}.AAAA`,
    `${Buffer.from('{"depth":9,"path":[]}').toString("base64url")}.${header.split(".")[1]}`,
    "x",
    ".",
    "a.b.c",
  ];
  const madeUp = await Promise.all(forged.map((one) => depthOf(acme, one)));
  on.clock.now = new Date(Date.now() + 25 * 3_600_000);
  const late = await depthOf(acme, header);

  assert.deepEqual([own, others, madeUp, late], [1, null, forged.map(() => null), null]);
});
