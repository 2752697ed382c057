// The step `wait.condition`: it goes on as soon as its condition holds, whatever makes it hold.
import assert from "node:assert/strict";
import { test } from "node:test";
import { published } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

/** Does all that follows, some minutes later. */
async function work(acme: Workspace, minutes = 0): Promise<void> {
  acme.service.clock.now = new Date((acme.service.clock.now ?? new Date()).getTime() + minutes * 60_000);
  await withWorker(acme.service, async (worker) => {
    for (let i = 0; i < 3; i++) await worker.drained();
  });
}

const until = (when: object) => ({
  start: "wait",
  steps: {
    wait: {
      type: "wait.condition",
      config: { when, timeout: { amount: 1, unit: "days" } },
      ports: { matched: null, timeout: "late" },
    },
    late: { type: "tag.change", config: { tag: "late", change: "add" }, ports: { out: null } },
  },
});

const manual = { trigger: { type: "manual", config: {} } };
const industry = (value: string) => ({ type: "field", ref: "record.industry", op: "is", value });
const noteThere = { type: "activity_count", kinds: ["note"], op: "gte", value: 2 };

async function waiting(
  acme: Workspace,
  when: object,
  record: { id: string },
  body: object = manual,
): Promise<() => Promise<any>> {
  const made = await published(acme, until(when), body);
  const run = await acme.post(`/automations/${made.id}/run/`, { record_id: record.id });
  return async () => {
    const { status, steps } = await acme.get(`/automation_runs/${run.id}/`);
    return [status, steps[0]?.branch ?? null];
  };
}

test("a wait for a condition ends at once, with a change of the record or of what belongs to it, by the clock, or in vain", async () => {
  const acme = await organization();
  const lead = await acme.lead({ industry: "Steel", timezone: "UTC" });
  const contact = await acme.contact({ lead_id: lead.id });
  const list = await acme.post("/lead_list/", { name: "Wanted" });
  const night = { type: "business_time", windows: { days: ["mon"], from: "03:00", to: "04:00" }, timezone: "UTC" };
  acme.service.clock.now = new Date("2031-03-03T02:50:00Z");
  const [at_once, changed, noted, of_contact, listed, by_clock, in_vain] = await Promise.all([
    waiting(acme, industry("Steel"), lead),
    waiting(acme, industry("Wood"), lead),
    waiting(acme, noteThere, lead),
    waiting(acme, { all: [{ type: "field", ref: "record.lead.industry", op: "is", value: "Wood" }] }, contact),
    waiting(acme, { not: { type: "list_member", list_id: list.id, present: false } }, lead),
    waiting(acme, night, lead),
    waiting(acme, industry("Glass"), lead),
  ]);
  const still = ["waiting", null];
  const over = ["completed", "matched"];

  await work(acme);
  assert.deepEqual(await Promise.all([at_once(), changed(), noted(), by_clock()]), [over, still, still, still]);
  await acme.put(`/lead/${lead.id}/`, { industry: "Wood" });
  await acme.note({ lead_id: lead.id });
  await work(acme);
  assert.deepEqual(await Promise.all([changed(), of_contact(), noted(), listed()]), [over, over, still, still]);
  await acme.note({ lead_id: lead.id });
  await acme.post(`/lead_list/${list.id}/members/`, { lead_ids: [lead.id] });
  await work(acme, 16);
  assert.deepEqual(await Promise.all([noted(), listed(), by_clock(), in_vain()]), [over, over, over, still]);
  await work(acme, 24 * 60);

  assert.deepEqual(await in_vain(), ["completed", "timeout"]);
  assert.deepEqual((await acme.get(`/lead/${lead.id}/`)).tags, ["late"]);
});

test("no change is missed, however it falls together with the beginning of the wait", async () => {
  const acme = await organization();
  const leads = await Promise.all(Array.from({ length: 20 }, () => acme.lead()));
  const made = await published(acme, until(industry("Wood")), manual);

  const { run_ids } = await acme.post(`/automations/${made.id}/run/`, { record_ids: leads.map(({ id }) => id) });
  await withWorker(acme.service, async (worker) => {
    await Promise.all([worker.drained(), ...leads.map(({ id }) => acme.put(`/lead/${id}/`, { industry: "Wood" }))]);
    for (let i = 0; i < 3; i++) await worker.drained();
  });

  const runs = await Promise.all(run_ids.map((id: string) => acme.get(`/automation_runs/${id}/`)));
  assert.deepEqual(new Set(runs.map(({ steps }) => steps[0].branch)), new Set(["matched"]));
});

test("a run whose record the member may no longer see waits on, goes on when it is seen again, and is held when the time is over", async () => {
  const acme = await organization();
  const bob = await acme.member("restricteduser");
  const lead = await acme.lead({ industry: "Steel", owner_id: bob.userId });
  const body = { ...manual, settings: { run_as_user_id: bob.userId } };
  const made = await published(acme, until(industry("Wood")), body);
  const other = await acme.lead({ industry: "Steel", owner_id: bob.userId });
  const begin = ({ id }: { id: string }) => acme.post(`/automations/${made.id}/run/`, { record_id: id });
  const runs = [await begin(lead), await begin(other)];
  const shown = () => Promise.all(runs.map(({ id }) => acme.get(`/automation_runs/${id}/`)));
  await work(acme);

  for (const { id } of [lead, other]) await acme.put(`/lead/${id}/`, { owner_id: acme.userId });
  await acme.put(`/lead/${lead.id}/`, { industry: "Wood" });
  await work(acme);
  const hidden = await shown();
  await acme.put(`/lead/${lead.id}/`, { owner_id: bob.userId });
  await work(acme);
  await work(acme, 24 * 60);

  const [matched, held] = await shown();
  assert.deepEqual(
    hidden.map(({ status }) => status),
    ["waiting", "waiting"],
  );
  assert.deepEqual([matched.status, matched.steps[0].branch], ["completed", "matched"]);
  assert.deepEqual([held.status, held.error.code], ["held", "record_hidden"]);
});
