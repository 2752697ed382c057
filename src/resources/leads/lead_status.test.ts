import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

const path = "/status/lead/";

test("a lead status joins at the end, and a wanted place is made free", async () => {
  const acme = await organization();

  const last = await acme.post(path, { label: "Last" });
  await acme.post(path, { label: "First", position: 0 });

  assert.equal(last.position, 4);
  const { data } = await acme.get(path);
  assert.deepEqual(
    data.map((one: any) => one.label),
    ["First", "Potential", "Bad Fit", "Qualified", "Customer", "Last"],
  );
  assert.equal((await acme.lead()).status_label, "First");
});

test("a label is unique, in any case", async () => {
  const acme = await organization();
  const [first] = (await acme.get(path)).data;

  await acme.refused(400, "POST", path, { label: "customer" }, "label");
  await acme.refused(400, "PUT", `${path}${first.id}/`, { label: "Customer" }, "label");
});

test("a status in use goes only when its leads get another one, also those the caller does not see", async () => {
  const acme = await organization();
  const [potential, , qualified] = (await acme.get(path)).data;
  const lead = await acme.lead();
  const keeper = await acme.memberWith(["manage_customizations"]);

  const refusal = await keeper.refused(400, "DELETE", `${path}${potential.id}/`, undefined, "replacement_status_id");
  await keeper.delete(`${path}${potential.id}/?replacement_status_id=${qualified.id}`);

  assert.equal(refusal.error, "Status is in use");
  assert.equal((await acme.get(`/lead/${lead.id}/`)).status_id, qualified.id);
  const updated = (await acme.events(lead.id)).find((one: any) => one.event === "lead.updated");
  assert.deepEqual(updated.changed_fields, ["status_id"]);
  assert.deepEqual(updated.previous_data, { status_id: potential.id });
});

test("a replacement must be another lead status, and a refused one moves no lead", async () => {
  const acme = await organization();
  const [potential] = (await acme.get(path)).data;
  const [active] = (await acme.get("/status/opportunity/")).data;
  const lead = await acme.lead();

  for (const wrong of [potential.id, active.id, "stat_none", ""])
    await acme.refused(
      400,
      "DELETE",
      `${path}${potential.id}/?replacement_status_id=${wrong}`,
      undefined,
      "replacement_status_id",
    );

  assert.equal((await acme.get(`/lead/${lead.id}/`)).status_id, potential.id);
});

test("the last lead status stays, also when the last two are deleted at once", async () => {
  const acme = await organization();
  const [one, two, ...others] = (await acme.get(path)).data;
  for (const other of others) await acme.delete(`${path}${other.id}/`);

  const answers = await Promise.all([one, two].map((status) => acme.ask("DELETE", `${path}${status.id}/`)));

  assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 400]);
  assert.equal((await acme.get(path)).data.length, 1);
});

test("a status can be replaced and deleted while leads are created, and none of those is refused", async () => {
  const acme = await organization();
  const [potential, , qualified] = (await acme.get(path)).data;
  let deleted = false;
  const create = async () => {
    const leads = [];
    for (let more = 3; more > 0; more -= deleted ? 1 : 0) leads.push(await acme.lead());
    return leads;
  };

  const creators = Array.from({ length: 8 }, create);
  await acme.lead();
  const answer = await acme.ask("DELETE", `${path}${potential.id}/?replacement_status_id=${qualified.id}`);
  deleted = true;
  const leads = (await Promise.all(creators)).flat();

  assert.equal(answer.status, 200, answer.text);
  assert.ok(leads.length > 8 * 3);
  assert.deepEqual((await acme.get(`/lead/?status_id=${potential.id}`)).data, []);
  await acme.refused(400, "POST", "/lead/", { status_id: potential.id }, "status_id");
});

test("more leads than one page get the replacement", async () => {
  const acme = await organization();
  const [potential, , qualified] = (await acme.get(path)).data;
  for (let i = 0; i < 21; i++) await Promise.all(Array.from({ length: 10 }, () => acme.lead()));

  await acme.delete(`${path}${potential.id}/?replacement_status_id=${qualified.id}`);

  assert.equal((await acme.get(`/lead/?status_id=${qualified.id}&_count=exact&_limit=0`)).total_results, 210);
});
