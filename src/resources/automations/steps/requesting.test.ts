// `http.request`: what is asked, how often, and what is shown of it.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { chain, published } from "../../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../../test/support/given.ts";
import { outboundService } from "../../../../test/support/outbound.ts";
import { type Receiver, receiver } from "../../../../test/support/receiver.ts";
import type { Service } from "../../../../test/support/service.ts";
import { withWorker } from "../../../../test/support/worker.ts";

let on: Service;
before(async () => {
  on = await outboundService();
});

const work = () =>
  withWorker(on, async (worker) => {
    for (let i = 0; i < 3; i++) await worker.drained();
  });

async function later(seconds: number): Promise<void> {
  on.clock.now = new Date((on.clock.now ?? new Date()).getTime() + seconds * 1000);
  await work();
}

const manual = { trigger: { type: "manual", config: {} } };

/** A run of one request, and how it is read again. */
async function asking(acme: Workspace, config: object, onError?: object): Promise<() => Promise<any>> {
  const graph = chain(["http.request", { method: "POST", body: { a: 1 }, ...config }]);
  if (onError !== undefined) Object.assign(graph.steps, { s2: onError }).s1.ports.http_error = "s2";
  const made = await published(acme, graph, manual);
  const { id } = await acme.post(`/automations/${made.id}/run/`, { record_id: (await acme.lead()).id });
  await work();
  return () => acme.get(`/automation_runs/${id}/`);
}

const idsOf = ({ received }: Receiver) => new Set(received.map(({ headers }) => headers["webhook-id"]));

test("what fails for a while is asked again with the same id, not before the receiver wants, and secrets are not shown", async () => {
  const acme = await organization(on);
  const there = await receiver(503);
  const headers = { Authorization: "Bearer hush-1", "X-Mine": { $template: "{{ run.id }}" }, Accept: "text/plain" };
  const run = await asking(acme, { url: there.url, headers });
  const between = await run();
  there.answers = (_got, response) => response.writeHead(429, { "retry-after": "600" }).end();

  await later(100);
  there.answers = 200;
  await later(500);
  const early = there.received.length;
  await later(101);

  const { status, steps, wait } = await run();
  assert.equal(wait, null);
  assert.deepEqual([between.status, between.wait.kind, between.wait.until], ["waiting", "retry", between.wait_until]);
  assert.match(between.explanation, /^It waits until \S+Z to try s1 again, which failed: .*503/);
  assert.match(between.steps[0].explanation, /^It failed: .*503.* It is tried again at \S+Z\.$/);
  assert.deepEqual([early, there.received.length, idsOf(there)], [2, 3, new Set([steps[0].id])]);
  assert.deepEqual([status, steps.length, steps[0].status, steps[0].output.body], ["completed", 1, "succeeded", "ok"]);
  assert.deepEqual(
    steps[0].attempts.map((one: any) => [one.n, one.http_status, one.error.class]),
    [
      [1, 503, "transient"],
      [2, 429, "rate_limited"],
    ],
  );
  assert.deepEqual(steps[0].input.headers, { Authorization: "***", "X-Mine": "***", Accept: "text/plain" });
  assert.equal(there.received[0]!.headers.authorization, "Bearer hush-1");
  assert.equal(steps[0].sealed_request, undefined);
});

test("what a header proves itself with is shown to nobody, stays when it is sent back, and goes to no other host", async () => {
  const acme = await organization(on);
  const there = await receiver(200);
  const send = (headers: object, url = there.url) => chain(["http.request", { method: "POST", url, body: { a: 1 }, headers }]);
  const headersOf = ({ graph }: any) => graph.steps.s1.config.headers;
  const made = await published(
    acme,
    send({ authorization: "Bearer hush-1", "x-key": { $template: "Key hush-2" }, accept: "text/plain" }),
    manual,
  );
  const rule = { name: "Rule", trigger: "lead.created", is_active: false };
  const action = { type: "call_webhook", config: { url: there.url, headers: { authorization: "Bearer hush-3" } } };
  const ruled = await acme.post("/automation/", { ...rule, actions: [action] });
  const path = `/automations/${made.id}/`;

  const shown = await acme.get(path);
  const again = await acme.put(path, { graph: shown.graph, description: "changed" });
  const same = await acme.put(path, {
    graph: send({ authorization: "Bearer hush-1", "x-key": "Key hush-2", accept: "text/plain" }),
  });
  const ruledAgain = await acme.put(`/automation/${ruled.id}/`, { actions: ruled.actions });
  const versions = await acme.get(`${path}versions/`);
  await acme.post(`${path}run/`, { record_id: (await acme.lead()).id });
  await work();

  assert.match(headersOf(shown).authorization.$secret, /^asec_/);
  assert.equal(headersOf(shown).accept, "text/plain");
  assert.deepEqual([again.has_unpublished_changes, same.has_unpublished_changes], [false, false]);
  assert.deepEqual(ruledAgain.actions, ruled.actions);
  const told = [shown, again, versions, ruled, await acme.events(made.id), await acme.events(ruled.id)];
  assert.doesNotMatch(JSON.stringify(told), /hush-/);
  const [{ headers }] = there.received as any;
  assert.deepEqual([headers.authorization, headers["x-key"]], ["Bearer hush-1", "Key hush-2"]);
  const at = "graph.steps.s1.config.headers.authorization";
  await acme.refused(400, "PUT", path, { graph: send(headersOf(shown), "https://other.example/") }, at);
  await acme.refused(400, "POST", "/automations/", { name: "Copy", ...manual, graph: shown.graph }, at);
  const stolen = { ...action, config: { ...action.config, headers: { authorization: headersOf(shown).authorization } } };
  await acme.refused(400, "POST", "/automation/", { ...rule, actions: [stolen] }, "actions.0.config.headers.authorization");
});

test("who may not see what a run has read is told that a step is tried again, and not what was answered", async () => {
  const acme = await organization(on);
  const ann = await acme.memberWith(["manage_email_sequences"]);
  const there = await receiver(503);
  const made = await published(acme, chain(["http.request", { method: "POST", url: there.url, body: { a: 1 } }]), manual);
  const mine = await acme.lead({ owner_id: ann.userId });
  const { id } = await acme.post(`/automations/${made.id}/run/`, { record_id: mine.id });

  await work();

  const { wait, explanation, steps, withheld } = await ann.get(`/automation_runs/${id}/`);
  assert.deepEqual(
    [withheld, wait.kind, Object.keys(wait).sort(), steps[0].attempts],
    ["other_rights", "retry", ["kind", "until"], []],
  );
  assert.match(explanation, /^It waits until \S+Z to try a step again that failed\.$/);
  assert.doesNotMatch(JSON.stringify([wait, explanation, steps]), /503/);
});

test("a refusal leaves by http_error where that leads somewhere, and else fails the run; no redirect is followed", async () => {
  const acme = await organization(on);
  const there = await receiver((_got, response) => response.writeHead(302, { location: there.url }).end("moved"));

  const alone = await asking(acme, { url: there.url });
  const noted = { type: "note.create", config: { note: { $template: "{{ steps.s1.output.status }}" } }, ports: { out: null } };
  const caught = await asking(acme, { url: there.url }, noted);

  const [failed, gone] = [await alone(), await caught()];
  assert.deepEqual([failed.status, failed.error.code, failed.steps[0].status], ["failed", "http_302", "failed"]);
  assert.deepEqual([gone.status, gone.steps[0].branch, gone.steps[1].status], ["completed", "http_error", "succeeded"]);
  assert.equal((await acme.get(`/activity/note/?lead_id=${gone.lead_id}`)).data[0].note, "302");
  assert.equal(there.received.length, 2);
});

test("no private address is asked, whatever a template makes of it", async () => {
  const acme = await organization(on);

  const literal = await asking(acme, { url: { $template: "http://10.0.0.1/{{ record.id }}" } });
  const metadata = await asking(acme, { url: { $template: "http://[::ffff:169.254.169.254]/latest" } });

  for (const run of [await literal(), await metadata()])
    assert.deepEqual([run.status, run.error.code, run.steps[0].effect], ["failed", "url_not_allowed", null]);
});

test("a rule is opened as a draft that does the same, with the secrets it has, and stays as it is", async () => {
  const acme = await organization(on);
  const bob = await acme.member("user");
  const there = await receiver(200);
  const config = { url: there.url, headers: { authorization: "Bearer hush-4" } };
  const actions = [
    { type: "add_tag", config: { tag: "steel" } },
    { type: "call_webhook", config, delay: 60 },
  ];
  const conditions = [{ field: "industry", operator: "is", value: "Steel" }];
  const rule = await acme.post("/automation/", { name: "Steel", trigger: "lead.created", conditions, actions, is_active: false });

  await bob.refused(403, "POST", `/automation/${rule.id}/upgrade/`, {});
  const draft = await acme.post(`/automation/${rule.id}/upgrade/`, {});
  await acme.post(`/automations/${draft.id}/publish/`, {});
  const steel = await acme.lead({ industry: "Steel" });
  await acme.lead({ industry: "Coal" });
  await later(0);
  await later(61);

  assert.deepEqual([draft.status, draft.name, draft.generation, draft.settings.re_enroll], ["draft", "Steel", 2, "always"]);
  assert.deepEqual((await acme.get(`/lead/${steel.id}/`)).tags, ["steel"]);
  assert.deepEqual(
    there.received.map(({ headers }) => headers.authorization),
    ["Bearer hush-4"],
  );
  const { date_updated, status, ...same } = await acme.get(`/automation/${rule.id}/`);
  assert.deepEqual([date_updated, status, same.actions], [rule.date_updated, "paused", rule.actions]);
  assert.doesNotMatch(JSON.stringify([draft, await acme.events(draft.id)]), /hush-/);
});
