/* oxlint-disable unicorn/no-thenable -- `then` is the wire's word for what follows */
// Trying runs again: after a failure was mended, for one run or for all that it holds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, published, runsOf, stepsOf, work } from "../../../test/support/automations.ts";
import { organization } from "../../../test/support/given.ts";

const update = (then: string) =>
  chain(
    ["note.create", { note: "Before" }],
    ["record.update", { fields: { url: { $ref: "record.description" } } }, { on_error: { then } }],
    ["tag.change", { tag: "after", change: "add" }],
  );

test("what a failure holds is told once, and goes on at the failed step, by its own version or by the one in force", async () => {
  const acme = await organization();
  const made = await published(acme, update("hold"));
  const leads = [
    await acme.lead({ description: "no address 1" }),
    await acme.lead({ description: "no address 22" }),
    await acme.lead({ description: "nowhere 3" }),
  ];
  await work(acme);
  const held = await runsOf(acme, made);
  const path = `/automations/${made.id}/`;
  const of = (i: number, runs: any[]) => runs.find((run) => run.object_id === leads[i]!.id);

  assert.deepEqual(new Set(held.map((run) => run.status)), new Set(["held"]));
  assert.equal(new Set(held.map((run) => run.error.fingerprint)).size, 1);
  assert.equal((await acme.get(path)).health.state, "degraded");
  const told = (await acme.get("/notification/?type=automation_failed")).data;
  assert.deepEqual([told.length, told[0].count], [1, 1]);

  await acme.put(`/lead/${leads[0]!.id}/`, { description: "https://example.com" });
  const again = await acme.post(`/automation_runs/${of(0, held).id}/retry/`, {});
  await work(acme);
  const mended = of(0, await runsOf(acme, made));
  assert.deepEqual([again.status, again.error, again.version_number], ["queued", null, 1]);
  assert.deepEqual(
    stepsOf(mended).map(([id, status]: string[]) => `${id} ${status}`),
    ["s1 succeeded", "s2 failed", "s2 succeeded", "s3 succeeded"],
  );
  assert.deepEqual(
    mended.steps.map(({ attempt }: any) => attempt),
    [1, 1, 2, 1],
  );
  await acme.refused(400, "POST", `/automation_runs/${mended.id}/retry/`, {}, "status");

  const steps = { s2: { type: "tag.change", config: { tag: "mended", change: "add" }, ports: { out: null } } };
  await acme.put(path, { graph: { start: "s2", steps } });
  await acme.post(`${path}publish/`, {});
  await work(acme);
  const [{ fingerprint }] = [of(1, await runsOf(acme, made)).error];
  const [top] = (await acme.get(`${path}stats/`)).top_errors;
  assert.deepEqual([top.fingerprint, top.count], [fingerprint, 2]);
  const none = await acme.post(`${path}retry/`, { fingerprint: "other", version: "active" });
  const all = await acme.post(`${path}retry/`, { fingerprint, version: "active" });
  await work(acme);

  assert.deepEqual(
    [none, all],
    [
      { retried: 0, skipped: 0, has_more: false },
      { retried: 2, skipped: 0, has_more: false },
    ],
  );
  const last = await runsOf(acme, made);
  assert.deepEqual([of(1, last).status, of(1, last).version_number, of(2, last).status], ["completed", 2, "completed"]);
  assert.deepEqual((await acme.get(`/lead/${leads[1]!.id}/`)).tags, ["mended"]);
  assert.equal((await acme.get(path)).health.state, "ok");
  const bob = await acme.member();
  await bob.refused(403, "POST", `/automation_runs/${of(1, last).id}/retry/`, {});
  await bob.refused(403, "POST", `${path}retry/`, {});
});

test("what failed begins anew if that is asked, unless a newer run has its place", async () => {
  const acme = await organization();
  const made = await published(acme, chain(...failing), { trigger: { type: "manual", config: {} } });
  const lead = await acme.lead({ description: "no address" });
  const start = () => acme.post(`/automations/${made.id}/run/`, { record_id: lead.id });
  const { id } = await start();
  await work(acme);
  const newer = await start();

  const refusal = await acme.refused(400, "POST", `/automation_runs/${id}/retry/`, {}, "status");
  const skipped = await acme.post(`/automations/${made.id}/retry/`, { status: "failed" });
  await acme.post(`/automation_runs/${newer.id}/cancel/`, {});
  await acme.put(`/lead/${lead.id}/`, { description: "https://example.com" });
  await acme.post(`/automation_runs/${id}/retry/`, { from: "start" });
  await work(acme);

  assert.match(refusal["field-errors"].status, /another run/);
  assert.equal(skipped.skipped, 1);
  const run = await acme.get(`/automation_runs/${id}/`);
  assert.deepEqual([run.status, run.steps.length], ["completed", 4], JSON.stringify(run.error));
  assert.equal((await acme.all(`/activity/note/?lead_id=${lead.id}`)).length, 2);
});

const failing = [
  ["note.create", { note: "Before" }],
  ["record.update", { fields: { url: { $ref: "record.description" } } }],
] as [string, object][];

test("when the member in whose name it runs leaves, its runs are held, and go on with the rights of another; for thirty days", async () => {
  const acme = await organization();
  const bob = await acme.member("admin");
  const graph = chain(["wait.duration", { amount: 1, unit: "hours" }], ["tag.change", { tag: "x", change: "add" }]);
  const made = await published(acme, graph, { settings: { run_as_user_id: bob.userId } });
  const lead = await acme.lead();
  await work(acme);
  const { data } = await acme.get("/membership/");
  await acme.delete(`/membership/${data.find((one: any) => one.user_id === bob.userId).id}/`);

  await work(acme, 2);
  const [held] = await runsOf(acme, made);
  const vain = await acme.refused(400, "POST", `/automation_runs/${held.id}/retry/`, {}, "status");
  const none = await acme.post(`/automations/${made.id}/retry/`, {});
  await acme.put(`/automations/${made.id}/`, { settings: { run_as_user_id: acme.userId } });
  await acme.post(`/automations/${made.id}/publish/`, {});
  await work(acme);
  const [run] = await runsOf(acme, made);

  assert.deepEqual([held.status, held.status_reason], ["held", "user_inactive"]);
  assert.match(vain["field-errors"].status, /cannot go on\. The member .* is no longer active: name another .* publish it/);
  assert.deepEqual([none.retried, none.skipped], [0, 1]);
  assert.equal(run.status, "completed", JSON.stringify(run.error));
  assert.equal((await acme.get(`/lead/${lead.id}/`)).updated_by, acme.userId);

  const stuck = await published(acme, update("hold"));
  await acme.lead({ description: "nowhere" });
  await work(acme, 24 * 32);
  const [expired] = await runsOf(acme, stuck);
  assert.deepEqual([expired.status, expired.status_reason], ["expired", "held"]);
});

test("what a failure holds goes on by the mended version, where that has the step that failed", async () => {
  const acme = await organization();
  const wrong = await published(acme, update("hold"));
  await acme.lead({ description: "nowhere" });
  await work(acme);
  const [{ status }] = await runsOf(acme, wrong);
  const steps = {
    ...update("hold").steps,
    s2: { type: "record.update", config: { fields: { url: null } }, ports: { out: "s3" } },
  };

  await acme.put(`/automations/${wrong.id}/`, { graph: { start: "s1", steps } });
  await acme.post(`/automations/${wrong.id}/publish/`, {});
  await work(acme);

  const runs = await runsOf(acme, wrong);
  assert.equal(status, "held");
  assert.deepEqual(
    runs.map((run) => [run.status, run.version_number, run.error]),
    runs.map(() => ["completed", 2, null]),
  );
  assert.deepEqual(
    stepsOf(runs[0]).map(([id, status]: string[]) => `${id} ${status}`),
    ["s1 succeeded", "s2 failed", "s2 succeeded", "s3 succeeded"],
  );
  assert.deepEqual(
    runs[0].steps.map(({ attempt }: any) => attempt),
    [1, 1, 2, 1],
  );
});

test("a version in another name does not take over what a failure holds, nor what that has read", async () => {
  const acme = await organization();
  const boss = await acme.member("superuser");
  const made = await published(boss, update("hold"), { settings: { run_as_user_id: boss.userId } });
  await acme.lead({ description: "nowhere" });
  await work(acme);

  await acme.put(`/automations/${made.id}/`, { settings: { run_as_user_id: acme.userId } });
  await acme.post(`/automations/${made.id}/publish/`, {});
  await work(acme);

  const [run] = await runsOf(acme, made);
  assert.deepEqual([run.status, run.version_number], ["held", 1]);
});

test("what a pause holds goes on with the next publish, also a run that was waiting", async () => {
  const acme = await organization();
  const graph = chain(["wait.duration", { amount: 1, unit: "hours" }], ["tag.change", { tag: "x", change: "add" }]);
  const made = await published(acme, graph);
  await acme.lead();
  await work(acme);
  await acme.post(`/automations/${made.id}/pause/`, {});
  await work(acme, 2);
  const [held] = await runsOf(acme, made);
  await acme.refused(400, "POST", `/automation_runs/${held.id}/retry/`, {}, "status");
  const inFlight = async () => (await acme.get(`/automations/${made.id}/versions/`)).data.map((one: any) => one.runs_in_flight);
  const before = await inFlight();

  await acme.post(`/automations/${made.id}/publish/`, {});
  await work(acme);

  assert.deepEqual([held.status, (await runsOf(acme, made))[0].status], ["held", "completed"]);
  assert.deepEqual([before, await inFlight()], [[1], [0]]);
});

test("what is held between two steps goes on where it stands, by a retry or by publishing it again, and does nothing twice", async () => {
  const acme = await organization();
  const eve = await acme.member("superuser");
  const wait = { event: "call.completed", match: { lead_id: { $ref: "record.id" } }, timeout: { amount: 5, unit: "days" } };
  const graph = {
    start: "before",
    steps: {
      before: { type: "note.create", config: { note: "Before" }, ports: { out: "wait" } },
      wait: { type: "wait.event", config: wait, ports: { matched: "after", timeout: null } },
      after: { type: "tag.change", config: { tag: "after", change: "add" }, ports: { out: null } },
    },
  };
  const made = await published(eve, graph);
  const leads = [await acme.lead(), await acme.lead(), await acme.lead()];
  const { id: membership } = (await acme.get(`/membership/?user_id=${eve.userId}`)).data[0];
  const become = (role_id: string) => acme.put(`/membership/${membership}/`, { role_id });
  await work(acme);
  await become("restricteduser");
  for (const { id } of leads) await acme.post("/activity/call/", { lead_id: id, direction: "outbound", duration: 60 });
  await work(acme);
  const held = await runsOf(acme, made);
  await become("superuser");

  const [one, other, third] = held;
  await acme.post(`/automation_runs/${one.id}/retry/`, {});
  await acme.post(`/automation_runs/${other.id}/retry/`, { from: "failed_step" });
  await work(acme);
  const retried = await runsOf(acme, made);
  await eve.post(`/automations/${made.id}/publish/`, {});
  await work(acme);

  assert.deepEqual(new Set(held.map((run) => run.status_reason)), new Set(["publisher_demoted"]));
  assert.equal(retried.find(({ id }) => id === third.id).status, "held");
  for (const run of await runsOf(acme, made)) {
    assert.deepEqual([run.status, run.version_number], ["completed", 1]);
    assert.deepEqual(
      stepsOf(run).map(([id, status]: string[]) => `${id} ${status}`),
      ["before succeeded", "wait succeeded", "after succeeded"],
    );
  }
  for (const { id } of leads) assert.equal((await acme.all(`/activity/note/?lead_id=${id}`)).length, 1);
});
