// As on a hosted PostgreSQL: the user of DATABASE_URL owns the tables and is not a superuser, so the policies apply to it too.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { organization } from "../../test/support/given.ts";
import { startService } from "../../test/support/service.ts";
import { createOrganization } from "../cli/organization_create.ts";
import { migrate } from "./migrate.ts";

const owner = `owner_${process.pid}`;
const server = process.env.TEST_DATABASE_URL!;
const ofOwner = Object.assign(new URL(server), { username: owner, password: "owner", pathname: `/${owner}` }).href;

async function asAdministrator(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

after(() => asAdministrator(`drop database if exists ${owner} with (force)`, `drop role if exists ${owner}`));

test("who may not take the roles learns what to have run, and after that everything works, with policies on and off", async () => {
  await asAdministrator(`create role ${owner} login password 'owner'`, `create database ${owner} owner ${owner}`);

  const refusal = await migrate(ofOwner).catch((error: Error) => error.message);
  const told = [...String(refusal).matchAll(/^ {2}((?:create role|grant) .*);$/gm)].map(([, statement]) => statement!);
  assert.match(told.at(-1) ?? "", /^grant headwater_app, headwater_system to /, String(refusal));
  await asAdministrator(...told);
  await migrate(ofOwner);

  for (const DATABASE_RLS of ["off", "on"]) {
    const on = await startService({ databaseUrl: ofOwner, env: { DATABASE_RLS } });
    try {
      const { organization_id } = await createOrganization(on.app, {
        name: "By hand",
        email: `by.hand.${DATABASE_RLS}@example.com`,
      });
      assert.match(organization_id, /^orga_/);
      const [acme, other] = [await organization(on), await organization(on)];
      const lead = await acme.lead({ name: "Bolt", contacts: [{ name: "Ada", emails: [{ email: "ada@bolt.com" }] }] });
      await acme.put(`/lead/${lead.id}/`, { description: "Screws" });
      assert.deepEqual(
        (await acme.get("/lead/?query=bolt")).data.map((one: any) => one.id),
        [lead.id],
      );
      assert.equal((await acme.events(lead.id)).length, 2);
      assert.equal((await acme.get("/me/")).organizations.length, 1);
      await other.refused(404, "GET", `/lead/${lead.id}/`);
      assert.deepEqual((await other.get("/lead/")).data, []);
      await acme.delete(`/lead/${lead.id}/`);
    } finally {
      await on.close();
    }
  }
});

test("with policies on, a statement that names no organization sees nothing, and only the system's role sees all", async () => {
  const on = await startService({ env: { DATABASE_RLS: "on" } });
  try {
    const acme = await organization(on);
    await organization(on);

    const seen = on.app.db.query(acme.id, { text: "select count(*), current_user from organization", values: [] });
    const nothing = on.app.db.query("", { text: "select count(*), current_user from organization", values: [] });
    const system = on.app.db.unscoped({ text: "select count(*) > 1, current_user from organization", values: [] });

    assert.deepEqual(await Promise.all([seen, nothing, system]), [
      [["1", "headwater_app"]],
      [["0", "headwater_app"]],
      [["t", "headwater_system"]],
    ]);
  } finally {
    await on.close();
  }
});
