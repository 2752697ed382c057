import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";
import { builtInRoles, permissions } from "../../core/permissions.ts";

test("the built-in roles are listed with the permissions they really give, and cannot be changed", async () => {
  const acme = await organization();

  const { data } = await acme.get("/role/");

  assert.deepEqual(
    data.map((one: any) => one.id),
    ["admin", "restricteduser", "superuser", "user"],
  );
  for (const one of data) {
    assert.deepEqual([one.name, one.editable, one.permissions], [one.id, false, builtInRoles[one.id]]);
    await acme.refused(400, "PUT", `/role/${one.id}/`, { name: "Boss" });
    await acme.refused(400, "DELETE", `/role/${one.id}/`);
  }
});

test("a role gives exactly its permissions, and a change of it applies to the next request", async () => {
  const acme = await organization();
  const sales = await acme.post("/role/", { name: "Sales", permissions: ["view_all_leads"] });
  const bob = await acme.member(sales.id);
  const lead = await acme.lead();
  await bob.refused(403, "DELETE", `/lead/${lead.id}/`);

  await acme.put(`/role/${sales.id}/`, { permissions: ["delete_leads", "view_all_leads", "delete_leads"] });

  await bob.delete(`/lead/${lead.id}/`);
  assert.deepEqual((await bob.get("/me/")).memberships[0].permissions_granted, ["delete_leads", "view_all_leads"]);
});

test("only permissions that exist can be given", async () => {
  const acme = await organization();

  const { "field-errors": errors } = await acme.refused(
    400,
    "POST",
    "/role/",
    { name: "Sales", permissions: ["view_all_leads", "fly"] },
    "permissions.1",
  );

  assert.match(errors["permissions.1"], new RegExp(`^must be one of ${permissions.length}, such as `));
});

test("a role that somebody holds stays", async () => {
  const acme = await organization();
  const sales = await acme.post("/role/", { name: "Sales" });
  const [{ id }] = [await acme.post("/membership/", { email: "bob@example.com", role_id: sales.id })];

  await acme.refused(400, "DELETE", `/role/${sales.id}/`);

  await acme.put(`/membership/${id}/`, { role_id: "user" });
  await acme.delete(`/role/${sales.id}/`);
});

test("names are unique among the roles, the built-in ones included", async () => {
  const acme = await organization();
  await acme.post("/role/", { name: "Sales" });

  await acme.refused(400, "POST", "/role/", { name: "SALES" }, "name");
  await acme.refused(400, "POST", "/role/", { name: "Admin" }, "name");
});

test("what makes more leads visible must be a user field of leads, and means nothing beside view_all_leads", async () => {
  const acme = await organization();
  const [person, text] = [await acme.customField("lead", { type: "user" }), await acme.customField("lead", { type: "text" })];

  const made = await acme.post("/role/", { name: "Sales", visibility_user_lcf_ids: [person.id] });

  assert.deepEqual(made.visibility_user_lcf_ids, [person.id]);
  await acme.refused(400, "POST", "/role/", { name: "A", visibility_user_lcf_ids: [text.id] }, "visibility_user_lcf_ids.0");
  await acme.refused(400, "POST", "/role/", { name: "A", visibility_user_lcf_ids: ["cf_nothing"] }, "visibility_user_lcf_ids.0");
  await acme.refused(400, "PUT", `/role/${made.id}/`, { permissions: ["view_all_leads"] }, "visibility_user_lcf_ids");
});
