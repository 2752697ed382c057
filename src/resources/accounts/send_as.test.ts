// Send-as: who may send in whose name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("a member lends their name, and both sides see it", async () => {
  const acme = await organization();
  const [ann, bob, eve] = [await acme.member(), await acme.member(), await acme.member()];

  const made = await ann.post("/send_as/", { allowed_user_id: bob.userId });

  assert.equal(made.allowing_user_id, ann.userId);
  assert.equal(made.email, (await ann.get("/me/")).email);
  const listed = async (ws: typeof ann, query = "") => (await ws.get(`/send_as/${query}`)).data.map((one: any) => one.id);
  assert.deepEqual(await listed(ann), [made.id]);
  assert.deepEqual(await listed(bob), []);
  assert.deepEqual(await listed(bob, `?allowed_user_id=${bob.userId}`), [made.id]);
  assert.deepEqual(await listed(eve, `?allowing_user_id=${ann.userId}`), []);
});

test("nobody lends somebody else's name, their own to themselves, or to who is no member", async () => {
  const acme = await organization();
  const bob = await acme.member();

  await acme.refused(403, "POST", "/send_as/", { allowing_user_id: bob.userId, allowed_user_id: acme.userId });
  await acme.refused(400, "POST", "/send_as/", { allowed_user_id: acme.userId }, "allowed_user_id");
  await acme.refused(400, "POST", "/send_as/", { allowed_user_id: "user_nobody" }, "allowed_user_id");
});

test("the same is not lent twice, and either side can end it", async () => {
  const acme = await organization();
  const [bob, eve] = [await acme.member(), await acme.member()];
  const made = await acme.post("/send_as/", { allowed_user_id: bob.userId });

  await acme.refused(400, "POST", "/send_as/", { allowed_user_id: bob.userId }, "allowed_user_id");
  await eve.refused(404, "DELETE", `/send_as/${made.id}/`);
  await bob.delete(`/send_as/${made.id}/`);

  await acme.post("/send_as/", { allowed_user_id: bob.userId });
});

test("an e-mail can be sent under an identity that was lent to the caller", async () => {
  const acme = await organization();
  const [bob, eve] = [await acme.member(), await acme.member()];
  const identity = await acme.post("/send_as/", { allowed_user_id: bob.userId });
  const body = { lead_id: (await acme.lead()).id, send_as_id: identity.id };

  await eve.refused(400, "POST", "/activity/email/", body, "send_as_id");
  assert.equal((await bob.post("/activity/email/", body)).send_as_id, identity.id);
});
