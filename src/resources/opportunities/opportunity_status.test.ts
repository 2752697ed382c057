import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

const path = "/status/opportunity/";

test("a status joins the first pipeline at the end, as an active one", async () => {
  const acme = await organization();
  const [sales] = (await acme.get("/pipeline/")).data;

  const proposal = await acme.post(path, { label: "Proposal" });

  assert.deepEqual(
    [proposal.pipeline_id, proposal.pipeline_name, proposal.type, proposal.position],
    [sales.id, "Sales", "active", 3],
  );
});

test("a label is unique in its pipeline, in any case", async () => {
  const acme = await organization();
  const other = await acme.post("/pipeline/", { name: "Other", statuses: [{ label: "Due" }] });

  await acme.refused(400, "POST", path, { label: "won" }, "label");
  await acme.post(path, { label: "Active", pipeline_id: other.id });
  await acme.refused(400, "POST", path, { label: "Due", pipeline_id: "pipe_none" }, "pipeline_id");
});

test("a place is made free for a status that is put there", async () => {
  const acme = await organization();

  const proposal = await acme.post(path, { label: "Proposal", position: 1 });

  const { data } = await acme.get(path);
  assert.deepEqual(
    data.map((one: any) => one.label),
    ["Active", "Proposal", "Won", "Lost"],
  );
  await acme.put(`${path}${proposal.id}/`, { position: 0 });
  assert.deepEqual(
    (await acme.get(path)).data.map((one: any) => one.label),
    ["Proposal", "Active", "Won", "Lost"],
  );
});

test("a status that changes its pipeline changes what its deals show, and not the deals", async () => {
  const acme = await organization();
  const other = await acme.post("/pipeline/", { name: "Other", statuses: [{ label: "Due" }] });
  const deal = await acme.opportunity();

  const moved = await acme.put(`${path}${deal.status_id}/`, { pipeline_id: other.id });

  const after = await acme.get(`/opportunity/${deal.id}/`);
  assert.equal(moved.position, 1);
  assert.deepEqual([after.pipeline_id, after.pipeline_name], [other.id, "Other"]);
  assert.equal(after.date_updated, deal.date_updated);
  assert.deepEqual(
    (await acme.events(deal.id)).map((one: any) => one.event),
    ["opportunity.created"],
  );
});

test("a status in use goes only when its deals get another one", async () => {
  const acme = await organization();
  const { data } = await acme.get(path);
  const [active, won] = data;
  const deals = [await acme.opportunity(), await acme.opportunity()];

  const refusal = await acme.refused(400, "DELETE", `${path}${active.id}/`);
  await acme.delete(`${path}${active.id}/?replacement_status_id=${won.id}`);

  assert.equal(refusal.error, "Status is in use");
  await acme.refused(404, "GET", `${path}${active.id}/`);
  for (const deal of deals) {
    const after = await acme.get(`/opportunity/${deal.id}/`);
    const events = (await acme.events(deal.id)).map((one: any) => one.event);
    assert.equal(after.status_id, won.id);
    assert.ok(after.date_won);
    assert.deepEqual(events, ["opportunity.created", "opportunity.updated", "opportunity.status_updated", "opportunity.won"]);
  }
});

test("a replacement must be another status that exists", async () => {
  const acme = await organization();
  const [active, won] = (await acme.get(path)).data;

  await acme.refused(
    400,
    "DELETE",
    `${path}${active.id}/?replacement_status_id=${active.id}`,
    undefined,
    "replacement_status_id",
  );
  await acme.refused(400, "DELETE", `${path}${active.id}/?replacement_status_id=stat_none`, undefined, "replacement_status_id");
  await acme.refused(400, "DELETE", `${path}${active.id}/?replacement=x`, undefined, "replacement");
  await acme.refused(404, "DELETE", `${path}stat_none/?replacement_status_id=${won.id}`);
  await acme.delete(`${path}${active.id}/`);
});

test("the last opportunity status stays", async () => {
  const acme = await organization();
  const [active, won, lost] = (await acme.get(path)).data;
  await acme.delete(`${path}${active.id}/`);

  const answers = await Promise.all([won, lost].map((one) => acme.ask("DELETE", `${path}${one.id}/`)));

  assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 400]);
  assert.equal((await acme.get(path)).data.length, 1);
});

test("statuses are filtered by pipeline and type", async () => {
  const acme = await organization();
  const other = await acme.post("/pipeline/", { name: "Other", statuses: [{ label: "Due" }] });

  assert.deepEqual(
    (await acme.get(`${path}?pipeline_id=${other.id}`)).data.map((one: any) => one.label),
    ["Due"],
  );
  assert.deepEqual(
    (await acme.get(`${path}?type=won`)).data.map((one: any) => one.label),
    ["Won"],
  );
  assert.deepEqual(
    (await acme.get(`${path}?_order_by=-label&_limit=1`)).data.map((one: any) => one.label),
    ["Won"],
  );
});

test("a status can be replaced and deleted while deals are created, and none of those is refused", async () => {
  const acme = await organization();
  const [active, ...others] = (await acme.get("/status/opportunity/")).data;
  const lead_id = (await acme.lead()).id;
  let deleted = false;
  const create = async () => {
    for (let more = 3; more > 0; more -= deleted ? 1 : 0) await acme.opportunity({ lead_id });
  };

  const creators = Array.from({ length: 8 }, create);
  await acme.opportunity();
  const answer = await acme.ask("DELETE", `/status/opportunity/${active.id}/?replacement_status_id=${others[0].id}`);
  deleted = true;
  await Promise.all(creators);

  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual((await acme.get(`/opportunity/?status_id=${active.id}`)).data, []);
});

test("what a status means from now on its deals are from now on: won, lost or open again, each with its event", async () => {
  const acme = await organization();
  const [active] = (await acme.get("/status/opportunity/")).data;
  const deal = await acme.opportunity();
  const read = () => acme.get(`/opportunity/${deal.id}/`);

  await acme.put(`/status/opportunity/${active.id}/`, { type: "lost" });
  const lost = await read();
  await acme.put(`/status/opportunity/${active.id}/`, { type: "won" });
  const won = await read();
  const [sales] = (await acme.get("/pipeline/")).data;
  await acme.put(`/pipeline/${sales.id}/`, { statuses: [{ id: active.id, type: "lost" }] });

  assert.deepEqual([lost.status_type, lost.date_won], ["lost", null]);
  assert.ok(lost.date_lost);
  assert.deepEqual([won.status_type, won.date_lost, won.date_won], ["won", null, won.date_updated.slice(0, 10)]);
  assert.ok((await read()).date_lost);
  const changes = (await acme.events(deal.id)).filter((event) => event.event === "opportunity.updated");
  assert.deepEqual(
    changes.map((event) => [event.changed_fields.sort(), event.data.status_type]),
    [
      [["date_lost"], "lost"],
      [["date_lost", "date_won"], "won"],
      [["date_lost"], "lost"],
    ],
  );
});
