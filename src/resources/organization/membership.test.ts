import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { announcements } from "../../core/directory.ts";

let count = 0;
const address = () => `person-${process.pid}-${++count}@example.com`;

const membershipOf = async (acme: Workspace, userId: string) =>
  (await acme.get(`/membership/?user_id=${userId}&status__in=active,invited,inactive`)).data[0];

test("an invitation answers the same whether or not the address is known elsewhere", async () => {
  const [acme, other] = [await organization(), await organization()];
  const { email } = await other.put("/me/", { first_name: "Known", last_name: "Person", timezone: "Europe/Berlin" });

  const known = await acme.post("/membership/", { email: email.toUpperCase() });
  const unknown = await acme.post("/membership/", { email: address().toUpperCase() });

  const shape = ({
    id,
    user_id,
    email,
    user_email,
    user_full_name,
    date_created,
    date_updated,
    invitation_url,
    ...rest
  }: any) => ({
    ...rest,
    has_url: invitation_url !== undefined,
  });
  assert.deepEqual(shape(known), shape(unknown));
  for (const one of [known, unknown]) {
    assert.equal(one.status, "invited");
    assert.equal(one.email, one.email.toUpperCase());
    assert.equal(one.user_full_name, one.email);
  }
  assert.equal(known.user_id, other.userId);
  const users = (await acme.get(`/user/?id__in=${known.user_id},${unknown.user_id}`)).data;
  assert.ok(users.every((one: any) => one.first_name === "" && one.timezone === null && one.date_updated === one.date_created));
});

test("an address with full-width letters in its domain is the same person's", async () => {
  const acme = await organization();
  const email = address();

  const invited = await acme.post("/membership/", { email: email.replace("example", "ｅxample") });
  const again = await acme.post("/membership/", { email });

  assert.deepEqual([invited.email, again.id, again.user_id], [email, invited.id, invited.user_id]);
});

test("an invitation leaves an event that shows who was invited", async () => {
  const acme = await organization();
  const email = address();

  const { id } = await acme.post("/membership/", { email });

  const events = await acme.events(id);
  assert.deepEqual(
    events.map((event) => event.event),
    ["membership.activated"],
  );
  assert.deepEqual([events[0].data.user_email, events[0].data.status], [email, "invited"]);
});

test("a member is not invited again; who is invited already stays invited, with the new role", async () => {
  const acme = await organization();
  const email = address();
  const first = await acme.post("/membership/", { email });

  const again = await acme.post("/membership/", { email, role_id: "superuser" });

  assert.deepEqual([again.id, again.status, again.role_id], [first.id, "invited", "superuser"]);
  const { email: own } = await acme.get("/me/");
  await acme.refused(400, "POST", "/membership/", { email: own }, "email");
});

test("two invitations of one address at once make one membership", async () => {
  const acme = await organization();
  const email = address();

  const answers = await Promise.all([1, 2, 3].map(() => acme.post("/membership/", { email })));

  assert.equal(new Set(answers.map((one) => one.id)).size, 1);
});

test("a name that is not known is answered with names that can be sent", async () => {
  const acme = await organization();

  const body = { email: address(), user_first_nam: "Ada" };
  const { "field-errors": errors } = await acme.refused(400, "POST", "/membership/", body, "user_first_nam");

  assert.doesNotMatch(errors.user_first_nam, /user_first_name|user_id/);
  assert.match(errors.user_first_nam, /is not a field of this request; .*\bemail\b/);
});

test("what is no address, and a role that does not exist, are refused", async () => {
  const acme = await organization();

  await acme.refused(400, "POST", "/membership/", {}, "email");
  await acme.refused(400, "POST", "/membership/", { email: "" }, "email");
  await acme.refused(400, "POST", "/membership/", { email: "bob" }, "email");
  await acme.refused(400, "POST", "/membership/", { email: address(), role_id: "role_nobody" }, "role_id");
  await acme.refused(
    400,
    "POST",
    "/membership/",
    { email: address(), hangup_recording_url: "http://example.com/a.mp3" },
    "hangup_recording_url",
  );
});

test("a removed member's keys stop working, their records stay theirs, and they come back with their keys", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const lead = await acme.lead({ owner_id: bob.userId });
  const { id, email } = await membershipOf(acme, bob.userId);

  await acme.delete(`/membership/${id}/`);

  await bob.refused(401, "GET", "/me/");
  assert.equal((await acme.get(`/lead/${lead.id}/`)).owner_id, bob.userId);
  assert.deepEqual(
    (await acme.get(`/membership/?status=inactive`)).data.map((one: any) => one.id),
    [id],
  );
  await acme.refused(404, "DELETE", `/membership/${id}/`);

  const back = await acme.post("/membership/", { email });

  assert.deepEqual([back.id, back.status], [id, "active"]);
  await bob.get("/me/");
  assert.deepEqual(
    (await acme.events(id)).map((event) => event.action),
    ["deactivated", "activated"],
  );
});

test("who was removed before accepting is invited again, not let in", async () => {
  const acme = await organization();
  const email = address();
  const { id } = await acme.post("/membership/", { email });
  await acme.delete(`/membership/${id}/`);

  const again = await acme.post("/membership/", { email });

  assert.deepEqual([again.id, again.status], [id, "invited"]);
});

test("nobody removes themselves", async () => {
  const acme = await organization();
  await acme.member("admin");
  const { id } = await membershipOf(acme, acme.userId);

  await acme.refused(400, "DELETE", `/membership/${id}/`);
});

test("one admin always remains", async () => {
  const acme = await organization();
  const { id } = await membershipOf(acme, acme.userId);
  const manager = await acme.memberWith(["manage_organization", "view_all_leads"]);

  await acme.refused(400, "PUT", `/membership/${id}/`, { role_id: "user" }, "role_id");
  await manager.refused(400, "DELETE", `/membership/${id}/`);

  await acme.member("admin");
  assert.equal((await acme.put(`/membership/${id}/`, { role_id: "user" })).role_id, "user");
});

test("an invited admin is not the admin that remains", async () => {
  const acme = await organization();
  const { id } = await membershipOf(acme, acme.userId);
  await acme.post("/membership/", { email: address(), role_id: "admin" });

  await acme.refused(400, "PUT", `/membership/${id}/`, { role_id: "user" }, "role_id");
});

test("of two admins who demote each other at once one remains", async () => {
  for (let round = 0; round < 5; round++) {
    const acme = await organization();
    const bob = await acme.member("admin");
    const [mine, bobs] = [await membershipOf(acme, acme.userId), await membershipOf(acme, bob.userId)];

    const answers = await Promise.all([
      acme.ask("PUT", `/membership/${bobs.id}/`, { body: { role_id: "user" } }),
      bob.ask("PUT", `/membership/${mine.id}/`, { body: { role_id: "user" } }),
    ]);

    assert.equal(answers.filter((one) => one.status === 200).length, 1, answers.map((one) => one.text).join());
    const [row] = await acme.service.app.db.unscoped({
      text: "select count(*) from membership where organization_id = $1 and role_id = 'admin' and status = 'active'",
      values: [acme.id],
    });
    assert.equal(row![0], "1");
  }
});

test("a change of role applies to the next request", async () => {
  const acme = await organization();
  const bob = await acme.member("user");
  const { id } = await membershipOf(acme, bob.userId);
  await bob.refused(403, "POST", "/role/", { name: "New" });

  await acme.put(`/membership/${id}/`, { role_id: "admin" });

  await bob.post("/role/", { name: "New" });
});

test("an accepted invitation shows the person's own name", async () => {
  const [acme, other] = [await organization(), await organization()];
  const { email } = await other.put("/me/", { first_name: "Known", last_name: "Person" });
  const { id } = await acme.post("/membership/", { email });

  await acme.service.app.db.unscopedTransaction(async (tx) => {
    tx.write({
      text: "update membership set status = 'active', accepted = true where organization_id = $1 and id = $2",
      values: [acme.id, id],
    });
    tx.write({ text: "select pg_notify($1, $2)", values: [announcements, acme.id] });
  });
  acme.service.app.core.forget(acme.id);

  assert.equal((await membershipOf(acme, other.userId)).user_full_name, "Known Person");
});

test("members who may not manage the organization see memberships and change none", async () => {
  const acme = await organization();
  const bob = await acme.member("superuser");
  const { id } = await membershipOf(bob, bob.userId);

  await bob.refused(403, "POST", "/membership/", { email: address() });
  await bob.refused(403, "PUT", `/membership/${id}/`, { role_id: "admin" });
  await bob.refused(403, "DELETE", `/membership/${id}/`);
});

test("memberships are found by address, role and user", async () => {
  const acme = await organization();
  const { id, email, user_id } = await acme.post("/membership/", { email: address(), role_id: "restricteduser" });

  for (const query of [`email=${email.toUpperCase()}`, `user_id=${user_id}`, "role_id=restricteduser", "status=invited"]) {
    assert.deepEqual(
      (await acme.get(`/membership/?${query}`)).data.map((one: any) => one.id),
      [id],
      query,
    );
  }
});
