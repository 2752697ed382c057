import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("conversations are searched, those that are deleted left out", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const open = await acme.post("/conversation/", { lead_id: lead.id, subject: "Offer" });
  const gone = await acme.post("/conversation/", { lead_id: lead.id, subject: "Offer" });
  await acme.delete(`/conversation/${gone.id}/`);

  const found = await acme.post("/data/search/", { query: { type: "object_type", object_type: "conversation" } });
  const counted = await acme.get("/conversation/?_count=exact&include_deleted=true");

  assert.deepEqual(
    found.data.map((one: any) => one.id),
    [open.id],
  );
  assert.equal(counted.total_results, 2);
  await acme.refused(400, "GET", "/conversation/?include_deleted=perhaps", undefined, "include_deleted");
});

test("conversations of a group are its own and those of its members", async () => {
  const acme = await organization();
  const other = await acme.member();
  const group = await acme.post("/group/", { name: "Sales team", user_ids: [acme.userId] });
  const lead = await acme.lead();
  for (const [subject, assigned_to] of Object.entries({ mine: acme.userId, ours: group.id, theirs: other.userId }))
    await acme.post("/conversation/", { lead_id: lead.id, subject, assigned_to });
  const found = async (filter: string) => (await acme.get(`/conversation/?${filter}`)).data.map((one: any) => one.subject).sort();

  assert.deepEqual(await found(`assigned_to=${group.id}`), ["mine", "ours"]);
  assert.deepEqual(await found(`assigned_to__in=${group.id},${other.userId}`), ["mine", "ours", "theirs"]);
  assert.deepEqual(await found(`assigned_to=${acme.userId}`), ["mine"]);
  assert.deepEqual(await found('query=assigned_to:"Sales team"'), ["mine", "ours"]);
  assert.deepEqual(await found(`query=assigned_to:${group.id}`), ["mine", "ours"]);
});
