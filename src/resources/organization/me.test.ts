import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../../../test/support/client.ts";
import { organization } from "../../../test/support/given.ts";

test("the key's own organization comes first, and every organization of mine is there with what I may do in it", async () => {
  const acme = await organization();
  const second = await acme.post("/organization/", { name: "Second" });
  const there = new Client(acme.service, second.api_key);

  const [here, elsewhere] = [await acme.get("/me/"), await there.get("/me/")];

  assert.deepEqual(
    here.organizations.map((one: any) => one.id),
    [acme.id, second.id],
  );
  assert.deepEqual(
    elsewhere.organizations.map((one: any) => one.id),
    [second.id, acme.id],
  );
  assert.equal(here.organizations[1].name, "Second");
  assert.deepEqual(
    here.memberships.map((one: any) => one.organization_id),
    [acme.id, second.id],
  );
  assert.deepEqual([here.memberships[0].user_id, here.memberships[0].role_name], [here.id, "admin"]);
  assert.ok(here.memberships[0].permissions_granted.includes("manage_organization"));
  assert.equal(here.organization_id, acme.id);
  assert.equal(here.role_id, "admin");
});

test("I change my name, signature and time zone, and nothing else", async () => {
  const acme = await organization();
  const before = await acme.get("/me/");

  const after = await acme.put("/me/", {
    first_name: "Grace",
    last_name: "Hopper",
    signature: "Best, Grace",
    timezone: "Europe/Berlin",
    email: "other@example.com",
    id: "user_1",
  });

  assert.deepEqual(after, {
    ...before,
    first_name: "Grace",
    last_name: "Hopper",
    full_name: "Grace Hopper",
    display_name: "Grace Hopper",
    signature: "Best, Grace",
    timezone: "Europe/Berlin",
    date_updated: after.date_updated,
  });
  assert.deepEqual(await acme.get("/me/"), after);
});

test("what was read can be written back without a complaint", async () => {
  const acme = await organization();
  const me = await acme.get("/me/");

  const answer = await acme.ask("PUT", "/me/", { body: me, headers: { prefer: "handling=strict" } });

  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body, me);
});

test("a name may be empty, and may be given as one", async () => {
  const acme = await organization();

  const empty = await acme.put("/me/", { first_name: "", last_name: null });
  const whole = await acme.put("/me/", { name: "Grace Brewster Hopper" });

  assert.equal(empty.full_name, empty.email);
  assert.deepEqual([whole.first_name, whole.last_name], ["Grace", "Brewster Hopper"]);
  await acme.refused(400, "PUT", "/me/", { name: "A B", first_name: "A" }, "name");
});

test("a signature keeps its text and loses what could harm", async () => {
  const acme = await organization();

  const plain = await acme.put("/me/", { signature: "Tom & Jerry" });
  const html = await acme.put("/me/", { signature: '<p onclick="x()">Tom<script>alert(1)</script></p>' });
  const none = await acme.put("/me/", { signature: null });

  assert.equal(plain.signature, "Tom & Jerry");
  assert.equal(html.signature, "<p>Tom</p>");
  assert.equal(none.signature, null);
});

test("what is not text, or no time zone, is refused", async () => {
  const acme = await organization();

  await acme.refused(400, "PUT", "/me/", { first_name: 12 }, "first_name");
  await acme.refused(400, "PUT", "/me/", { signature: ["a"] }, "signature");
  await acme.refused(400, "PUT", "/me/", { timezone: "Mars/Olympus" }, "timezone");
});

test("a new name is shown wherever I am a member, at once", async () => {
  const acme = await organization();
  const second = await acme.post("/organization/", { name: "Second" });
  const there = new Client(acme.service, second.api_key);
  const lead = await there.post("/lead/", { name: "A lead" });
  await there.get("/user/");

  await acme.put("/me/", { name: "Renamed Person" });

  assert.equal((await there.get(`/lead/${lead.id}/`)).created_by_name, "Renamed Person");
  assert.equal((await there.get(`/user/${acme.userId}/`)).name, "Renamed Person");
});

test("a change of what was read before somebody else's is refused when it says so", async () => {
  const acme = await organization();
  const etag = (await acme.ask("GET", "/me/")).headers.get("etag")!;
  assert.equal((await acme.ask("GET", "/me/", { headers: { "if-none-match": etag } })).status, 304);

  const answers = [];
  for (const first_name of ["One", "Two"])
    answers.push(await acme.ask("PUT", "/me/", { body: { first_name }, headers: { "if-match": etag } }));

  assert.deepEqual(
    answers.map((one) => one.status),
    [200, 412],
  );
  assert.equal((await acme.get("/me/")).first_name, "One");
});

test("only the requested fields are shown", async () => {
  const acme = await organization();

  assert.deepEqual(Object.keys(await acme.get("/me/?_fields=id,organizations")).sort(), ["id", "organizations"]);
});
