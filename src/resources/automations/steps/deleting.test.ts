// Steps that delete: with whose rights, and what becomes of a run whose own record it was.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, published, runsOf, work } from "../../../../test/support/automations.ts";
import { organization } from "../../../../test/support/given.ts";

const remove: [string, object] = ["record.delete", { target: { $ref: "record" } }];
const onIndustry = (industry: string) => ({
  trigger: { type: "field.changed", config: { object_type: "lead", field: "industry", to: [industry] } },
});

test("a step deletes what the member may delete in whose name it runs; a run ends with its own record", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const [limited, last, further] = [
    await published(acme, chain(remove), { ...onIndustry("A"), settings: { run_as_user_id: bob.userId } }),
    await published(acme, chain(remove), onIndustry("B")),
    await published(acme, chain(remove, ["note.create", { note: "Gone" }]), onIndustry("C")),
  ];
  const { data } = await acme.get("/membership/?_limit=100");
  const { id } = data.find(({ user_id }: any) => user_id === bob.userId);
  await acme.put(`/membership/${id}/`, { role_id: "restricteduser" });
  const leads = [await acme.lead({ owner_id: bob.userId }), await acme.lead(), await acme.lead()];
  for (const [i, lead] of leads.entries()) await acme.put(`/lead/${lead.id}/`, { industry: "ABC"[i] });

  await work(acme);

  const runs = (await Promise.all([limited, last, further].map((made) => runsOf(acme, made)))).flat();
  const [held, completed, exited] = runs;
  assert.deepEqual([held.status, held.error.code], ["held", "permission_step"]);
  assert.deepEqual([completed.status, completed.steps[0].output.id], ["completed", leads[1]!.id]);
  assert.deepEqual([exited.status, exited.status_reason], ["exited", "record_deleted"]);
  assert.deepEqual(
    (await acme.get("/lead/")).data.map((one: any) => one.id),
    [leads[0]!.id],
  );
});

test("whatever rights it has, an automation changes and deletes records only, and no administration", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const { data } = await acme.get("/membership/?_limit=100");
  const { id, role_id } = data.find(({ user_id }: any) => user_id === bob.userId);
  const target = { $ref: "trigger.payload.target" };
  const graphs = [chain(["record.update", { target, fields: { role_id: "admin" } }]), chain(["record.delete", { target }])];
  const lead = await acme.lead();
  const trigger = { type: "manual", config: { object_type: "lead" } };

  for (const graph of graphs)
    for (const named of [id, bob.userId]) {
      const made = await published(acme, graph, { trigger });
      await acme.post(`/automations/${made.id}/run/`, { record_id: lead.id, input: { target: named } });
      await work(acme);
      const [run] = await runsOf(acme, made);
      assert.deepEqual([run.status, run.error.code], ["held", "object_type_mismatch"]);
    }
  const after = await acme.get("/membership/?_limit=100");
  assert.equal(after.data.find((one: any) => one.id === id).role_id, role_id);
});
