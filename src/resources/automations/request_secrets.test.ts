// The address that an automation calls, its headers and its body: who reads them, and what becomes of them for those who do not.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { agentOf } from "../../../test/support/agent.ts";
import { chain, published } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import { receiver } from "../../../test/support/receiver.ts";
import type { Service } from "../../../test/support/service.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { operations } from "../index.ts";
import { secretMembers } from "./request_secrets.ts";
import { stepTypes } from "./step_types.ts";

const canary = "kanarienvogel";

let on: Service;
before(async () => {
  on = await outboundService();
});

const work = () =>
  withWorker(on, async (worker) => {
    for (let i = 0; i < 4; i++) await worker.drained();
  });

const saying = (url: string, more: object = {}) => ({
  url: `${url}/services/${canary}?key=${canary}`,
  headers: { authorization: `Bearer ${canary}`, "x-note": { $template: `${canary} {{ run.id }}` }, accept: `text/${canary}` },
  body: { token: canary },
  ...more,
});

/** Automations of both generations that call a service which repeats its address, and one run of each. */
async function given(acme: Workspace) {
  const there = await receiver(({ headers }, response) =>
    response.writeHead(404).end(`Cannot POST /hook/services/${canary}?key=${canary} at ${headers.host}`),
  );
  const trigger = { type: "manual", config: { object_type: "lead" } };
  const of = (more: object) => chain(["http.request", { method: "POST", ...saying(there.url, more) }]);
  const flow = await published(acme, of({}), { trigger });
  const path = `/automations/${flow.id}/`;
  await acme.put(path, { graph: of({ body: { token: `${canary} 2` } }) });
  const actions = [{ type: "call_webhook", config: saying(there.url) }];
  const rule = await acme.post("/automation/", { name: "Rule", trigger: "lead.created", actions, is_active: true });
  const lead = await acme.lead();
  const run = await acme.post(`${path}run/`, { record_id: lead.id });
  await work();
  return { there, of, flow, path, rule, lead, run };
}

test("nobody who may not write automations reads what they say to others, by no read of any kind", async () => {
  const acme = await organization(on);
  const { flow, path, rule, lead, run } = await given(acme);
  const [version] = (await acme.get(`${path}versions/`)).data;
  const runs = await acme.all("/automation_runs/");
  const ids = [flow, rule, version, ...runs, ...(await acme.events(flow.id)), ...(await acme.events(rule.id))].map(
    ({ id }) => id,
  );
  const reads = operations.filter(({ method, path, lasts }) => method === "GET" && lasts !== true && !path.includes("{"));
  const ofOne = operations.filter(
    ({ method, path }) => method === "GET" && /^\/(automation|event\/)[^{]*\{id\}[^{]*$/.test(path),
  );
  const paths = [
    ...reads.map((one) => `${one.path}${one.verb === "list" ? "?_fields=_all" : ""}`),
    ...ofOne.flatMap((one) => ids.map((id) => one.path.replace("{id}", id))),
    `${path}?_fields=graph,draft,published`,
    `/automations/?generation=1`,
    `/event/?object_id=${flow.id}`,
    `/event/?object_id=${rule.id}`,
  ];

  const told: Record<string, string[]> = {};
  const admin = new Set<string>();
  for (const role of ["user", "restricteduser", "admin"]) {
    const who = role === "admin" ? acme : await acme.member(role);
    for (const one of paths) {
      const { status, text } = await who.ask("GET", one);
      if (status !== 200 || !text.includes(canary)) continue;
      if (role === "admin") admin.add(one);
      else (told[role] ??= []).push(one);
    }
    const simulated = await who.ask("POST", `${path}simulate/`, { body: { record_id: lead.id } });
    const [event] = await who.events(lead.id);
    const replayed = await who.ask("POST", `${path}replay/`, { body: { event_id: event?.id ?? "ev_none", effects: "stub" } });
    if (role === "admin") assert.ok(simulated.text.includes(canary));
    else assert.ok(!`${simulated.text}${replayed.text}`.includes(canary), role);
  }

  assert.deepEqual(told, {});
  const shown = [path, `/automation/${rule.id}/`, `${path}versions/`, `/automation_runs/${run.id}/`];
  for (const one of shown) assert.ok(admin.has(one), one);
  assert.doesNotMatch(JSON.stringify([await acme.events(flow.id), await acme.events(rule.id)]), new RegExp(canary));
  const failed = await acme.get(`/automation_runs/${run.id}/`);
  assert.match(failed.error.message, /^the other service answered 404: Cannot POST … at …$/);
});

test("no tool shows them, and an agent that sends back what it read changes none of them", async () => {
  const acme = await organization(on);
  const { of, there, flow, path, rule, run } = await given(acme);
  const agent = await agentOf(acme, { scope: "write_destructive" });
  const before = [await acme.get(path), await acme.get(`/automation/${rule.id}/`)];
  const read = async (object_type: string, id: string) =>
    (await agent.call("get_record", { object_type, id })).structuredContent.record;

  const [seen, ruled] = [await read("automations", flow.id), await read("automation", rule.id)];
  const written = [
    await agent.call("update_record", { object_type: "automations", id: flow.id, data: { graph: seen.graph } }),
    await agent.call("update_record", { object_type: "automation", id: rule.id, data: { actions: ruled.actions } }),
  ];
  const listed = await agent.call("list_records", { object_type: "automations" });
  const ran = await agent.call("get_record", { object_type: "automation_run", id: run.id });

  assert.match(seen.graph.steps.s1.config.url.$secret, /^areq_/);
  for (const one of written) assert.equal(one.isError ?? false, false, JSON.stringify(one.content));
  assert.doesNotMatch(JSON.stringify([seen, ruled, written, listed, ran]), new RegExp(canary));
  const after = [await acme.get(path), await acme.get(`/automation/${rule.id}/`)];
  assert.deepEqual([after[0].graph, after[1].actions], [before[0].graph, before[1].actions]);
  assert.ok(after[0].graph.steps.s1.config.url.startsWith(there.url));
  assert.deepEqual(after[0].graph.steps.s1.config.body, of({ body: { token: `${canary} 2` } }).steps.s1.config.body);
});

test("what stands for a value of another automation is refused where it is named", async () => {
  const acme = await organization(on);
  const { flow, rule } = await given(acme);
  const [made] = await acme.events(flow.id);
  const [ruled] = await acme.events(rule.id);
  const other = { name: "Other", trigger: "lead.created" };

  for (const key of ["url", "headers", "body"]) {
    await acme.refused(400, "POST", "/automations/", { ...other, graph: made.data.graph }, `graph.steps.s1.config.${key}`);
    await acme.refused(400, "POST", "/automation/", { ...other, actions: ruled.data.actions }, `actions.0.config.${key}`);
  }
});

test("an undo of a change gives back the address that was in force, though no event has it", async () => {
  const acme = await organization(on);
  const { there, path, rule } = await given(acme);
  const at = `/automation/${rule.id}/`;
  const was = await acme.get(at);
  const flow = await acme.get(path);
  const actions = [{ type: "call_webhook", config: { url: `${there.url}/elsewhere` } }];

  const changed = await acme.ask("PUT", at, { body: { actions, name: "Changed" } });
  const renamed = await acme.ask("PUT", path, { body: { name: "New", graph: { ...flow.graph, ui: { zoom: 2 } } } });
  const undone = await acme.post(`/change_set/${changed.headers.get("x-request-id")}/undo/`, {});
  await acme.post(`/change_set/${renamed.headers.get("x-request-id")}/undo/`, {});

  const [now, then] = [await acme.get(at), await acme.get(path)];
  assert.deepEqual([undone.n_undone, now.name, now.actions], [1, was.name, was.actions]);
  assert.deepEqual([then.name, then.graph], [flow.name, flow.graph]);
});

test("the address of every step that has one is kept from them", () => {
  const secret = ["url", "headers"];

  for (const { type, config } of stepTypes)
    for (const key of secret.filter((one) => Object.hasOwn(config, one)))
      assert.ok(secretMembers.get(type)?.includes(key), `${type}: ${key}`);
});
