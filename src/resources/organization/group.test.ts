import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("members may be named as ids or as objects, and are shown as both", async () => {
  const acme = await organization();
  const bob = await acme.member();

  const byId = await acme.post("/group/", { name: "One", user_ids: [acme.userId, bob.userId, acme.userId] });
  const byObject = await acme.post("/group/", { name: "Two", members: [{ user_id: bob.userId }] });

  assert.deepEqual(byId.user_ids, [acme.userId, bob.userId]);
  assert.deepEqual(byId.members, [{ user_id: acme.userId }, { user_id: bob.userId }]);
  assert.deepEqual(byObject.user_ids, [bob.userId]);
});

test("a group can be read, changed in one of the two forms, and written back", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const made = await acme.post("/group/", { name: "One", user_ids: [acme.userId] });

  const byObject = await acme.put(`/group/${made.id}/`, { ...made, members: [{ user_id: bob.userId }] });
  const byId = await acme.put(`/group/${made.id}/`, { ...byObject, user_ids: [] });

  assert.deepEqual(byObject.user_ids, [bob.userId]);
  assert.deepEqual(byId.members, []);
  await acme.refused(
    400,
    "PUT",
    `/group/${made.id}/`,
    { user_ids: [acme.userId], members: [{ user_id: bob.userId }] },
    "members",
  );
});

test("renaming a group leaves its members", async () => {
  const acme = await organization();
  const made = await acme.post("/group/", { name: "One", user_ids: [acme.userId] });

  const renamed = await acme.put(`/group/${made.id}/`, { name: "Two" });

  assert.deepEqual([renamed.name, renamed.user_ids], ["Two", [acme.userId]]);
});

test("who is not a member cannot be in a group; who was one may stay in it", async () => {
  const acme = await organization();
  const [bob, stranger] = [await acme.member(), await organization()];
  const made = await acme.post("/group/", { name: "One", user_ids: [bob.userId] });
  const [{ id }] = (await acme.get(`/membership/?user_id=${bob.userId}`)).data;
  await acme.delete(`/membership/${id}/`);

  const kept = await acme.put(`/group/${made.id}/`, { user_ids: [bob.userId, acme.userId] });

  assert.deepEqual(kept.user_ids, [bob.userId, acme.userId]);
  await acme.refused(400, "POST", "/group/", { name: "Two", user_ids: [stranger.userId] }, "user_ids.0");
  await acme.refused(400, "POST", "/group/", { name: "Two", members: [{ user_id: "user_nobody" }] }, "members.0.user_id");
  await acme.refused(400, "POST", "/group/", { name: "Two", user_ids: [bob.userId] }, "user_ids.0");
});

test("names are unique among the groups, in any case", async () => {
  const acme = await organization();
  await acme.post("/group/", { name: "Sales" });

  await acme.refused(400, "POST", "/group/", { name: "sales" }, "name");
});
