// Webhooks from before there were deliveries.
import assert from "node:assert/strict";
import { test } from "node:test";
import { settled, withConnection } from "../../../test/support/feed.ts";
import { receiver } from "../../../test/support/receiver.ts";
import { drained, leads, subscribe, webhooksAsUpgraded, workspace } from "../../../test/support/webhooks.ts";

test("a webhook of before begins where it was made, and a paused one does not begin", async () => {
  const acme = await workspace();
  const [there, silent] = [await receiver(), await receiver()];
  await leads(acme, 1);
  // It starts at the oldest transaction running when it is created, which may be another test's.
  await settled(acme);
  await subscribe(acme, there);
  await subscribe(acme, silent, { status: "paused" });
  const made = await leads(acme, 3);

  // As the previous release left it: nobody follows the log, and there is no job.
  await withConnection(acme, async (client) => {
    for (const table of ["job", "consumer"])
      await client.query(`/* a test */ delete from ${table} where organization_id = $1`, [acme.id]);
  });
  await drained(acme);
  assert.deepEqual(there.received, []);
  await webhooksAsUpgraded(acme);
  await drained(acme);
  made.push(...(await leads(acme, 2)));
  await drained(acme);

  assert.deepEqual(there.objects().sort(), made.sort());
  assert.deepEqual(silent.received, []);
});
