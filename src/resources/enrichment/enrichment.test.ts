import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";
import { store } from "../../records/store.ts";
import { enrichment } from "./enrichment.ts";

test("look-ups are listed for who sees the lead, and go with it", async () => {
  const acme = await organization();
  const person = await acme.contact();
  const { lead_id } = person;
  const restricted = await acme.member("restricteduser");
  const [of_lead, of_person] = await acme.inside(async (ctx) => [
    store.insert(ctx, enrichment, { object_type: "lead", object_id: lead_id, lead_id, status: "no_match" }),
    store.insert(ctx, enrichment, { object_type: "contact", object_id: person.id, lead_id, contact_id: person.id }),
  ]);
  const ids = async (filter: string) => (await acme.get(`/enrichment/?${filter}`)).data.map((one: any) => one.id);

  assert.deepEqual(await ids(`object_id=${person.id}`), [of_person!.id]);
  assert.deepEqual(await ids("status__in=no_match,failed"), [of_lead!.id]);
  assert.deepEqual(await ids(`lead_id=${lead_id}&object_type=contact&provider=internal`), [of_person!.id]);
  assert.deepEqual((await restricted.get("/enrichment/")).data, []);

  await acme.delete(`/contact/${person.id}/`);
  assert.equal((await acme.get(`/enrichment/${of_person!.id}/`)).contact_id, null);
  await acme.delete(`/lead/${lead_id}/`);
  assert.deepEqual((await acme.get("/enrichment/")).data, []);
});
