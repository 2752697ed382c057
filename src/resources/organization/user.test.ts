import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("fellow members are seen, by last and first name; others are not there", async () => {
  const acme = await organization();
  const stranger = await organization();
  const [ann, zoe] = [await acme.member(), await acme.member()];
  await ann.put("/me/", { first_name: "Ann", last_name: "Young" });
  await zoe.put("/me/", { first_name: "Zoe", last_name: "Abel" });

  const { data } = await ann.get("/user/");

  assert.deepEqual(
    data.map((one: any) => one.id),
    [zoe.userId, acme.userId, ann.userId],
  );
  assert.deepEqual(
    (await ann.get("/user/?_order_by=first_name,last_name")).data.map((one: any) => one.first_name),
    ["Ada", "Ann", "Zoe"],
  );
  await ann.refused(404, "GET", `/user/${stranger.userId}/`);
});

test("users are found by address in any case, by role and by ids", async () => {
  const acme = await organization();
  const bob = await acme.member("restricteduser");
  const { email } = await bob.get("/me/");
  const idsOf = async (query: string) => (await acme.get(`/user/?${query}`)).data.map((one: any) => one.id);

  assert.deepEqual(await idsOf(`email=${email.toUpperCase()}`), [bob.userId]);
  assert.deepEqual(await idsOf("role_id=restricteduser"), [bob.userId]);
  assert.deepEqual(await idsOf(`id__in=${bob.userId},user_nobody`), [bob.userId]);
  assert.deepEqual(await idsOf("email=nobody@example.com"), []);
});

test("who was removed is listed only for who asks, and can still be read by id", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const [{ id }] = (await acme.get(`/membership/?user_id=${bob.userId}`)).data;

  await acme.delete(`/membership/${id}/`);

  assert.ok(!(await acme.get("/user/")).data.some((one: any) => one.id === bob.userId));
  assert.deepEqual(
    (await acme.get("/user/?status=inactive")).data.map((one: any) => one.id),
    [bob.userId],
  );
  assert.equal((await acme.get(`/user/${bob.userId}/`)).status, "inactive");
});

test("a user shows this organization and not where else they are a member", async () => {
  const acme = await organization();
  await acme.post("/organization/", { name: "Elsewhere" });

  const { organizations } = await acme.get(`/user/${acme.userId}/`);

  assert.deepEqual(
    organizations.map((one: any) => one.id),
    [acme.id],
  );
});

test("everyone sees who is online, and sets it for themselves", async () => {
  const acme = await organization();
  const bob = await acme.member();

  const mine = await bob.put("/user/availability/", { availability: "online" });

  assert.equal(mine.user_id, bob.userId);
  assert.ok(Date.parse(mine.updated_at) > Date.now() - 60_000);
  const { data, has_more } = await acme.get("/user/availability/");
  assert.deepEqual(Object.fromEntries(data.map((one: any) => [one.user_id, one.availability])), {
    [acme.userId]: "offline",
    [bob.userId]: "online",
  });
  assert.equal(has_more, false);
});

test("whoever says nothing for a minute and a half is offline, until they say that they are online again", async () => {
  const acme = await organization();
  const { clock } = acme.service;
  const start = Date.now();
  const after = (seconds: number) => (clock.now = new Date(start + seconds * 1000));
  const mine = async () => (await acme.get("/user/availability/")).data[0];

  after(0);
  await acme.put("/user/availability/", { availability: "online" });
  after(60);
  await acme.put("/user/availability/", { availability: "online" });
  after(149);
  const heard = await mine();
  after(150);
  const silent = await mine();
  const back = await acme.put("/user/availability/", { availability: "online" });

  assert.deepEqual([heard.availability, silent.availability, back.availability], ["online", "offline", "online"]);
  assert.equal(heard.updated_at, new Date(start).toISOString());
  assert.equal(back.updated_at, new Date(start + 150_000).toISOString());
});

test("availability is online or offline", async () => {
  const acme = await organization();

  await acme.refused(400, "PUT", "/user/availability/", { availability: "away" }, "availability");
  await acme.refused(400, "PUT", "/user/availability/", {}, "availability");
});

test("being online again is no event and no change of the membership", async () => {
  const acme = await organization();
  const [before] = (await acme.get("/membership/")).data;

  await acme.put("/user/availability/", { availability: "online" });

  assert.deepEqual((await acme.get("/membership/")).data, [before]);
  assert.deepEqual(await acme.events(before.id), []);
});

test("the presence of many is paged like any list", async () => {
  const acme = await organization();
  await acme.member();

  const page = await acme.get("/user/availability/?_limit=1&_fields=user_id");

  assert.equal(page.has_more, true);
  assert.deepEqual(Object.keys(page.data[0]), ["user_id"]);
  assert.equal((await acme.get("/user/availability/?_limit=1&_skip=1")).has_more, false);
  await acme.refused(400, "GET", "/user/availability/?_limit=201", undefined, "_limit");
  await acme.refused(400, "GET", "/user/availability/?status=online", undefined, "status");
});
