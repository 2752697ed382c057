// A database that cannot write: its disk is full, or broken.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../test/support/given.ts";
import { withClient } from "../db/one_client.ts";

test("while the database has no room or cannot write, a write is refused for now and changes nothing, reads go on, and then it works", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const inDatabase = (statement: string) => withClient(acme.service.databaseUrl, "a test", (client) => client.query(statement));
  const failing = (code: string) =>
    inDatabase(
      `create or replace function cannot_write() returns trigger language plpgsql as
         $$ begin raise exception 'could not extend file: No space left on device' using errcode = '${code}'; end $$;
       create or replace trigger cannot_write before insert on lead for each row execute function cannot_write()`,
    );

  for (const code of ["53100", "53200", "58030"]) {
    await failing(code);
    const refused = await fetch(`${acme.service.url}/api/v1/lead/`, {
      method: "POST",
      headers: { authorization: `Bearer ${acme.key}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "No room" }),
    });
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "10"], code);
    assert.deepEqual(await refused.json(), { error: "Service unavailable", "field-errors": {} });
    assert.ok(refused.headers.has("x-request-id"), "by which the log is searched");
    assert.equal((await acme.get(`/lead/${lead.id}/`)).id, lead.id);
  }
  await inDatabase("drop trigger cannot_write on lead");

  const made = await acme.lead({ name: "With room" });
  assert.deepEqual((await acme.get("/lead/")).data.map(({ id }: any) => id).sort(), [lead.id, made.id].sort());
});
