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
