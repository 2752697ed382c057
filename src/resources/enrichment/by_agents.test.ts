// What an agent has visited by a lookup: a company's home page, and no address that could carry out what the agent has read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentOf } from "../../../test/support/agent.ts";
import { organization } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import { acmePage, website } from "../../../test/support/website.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { isHomePage } from "./subject.ts";

test("an agent's lookup visits no address with room for a message, not even one that is set while it waits", async () => {
  const on = await outboundService();
  const acme = await organization(on);
  const [safe, wide] = [await agentOf(acme, { scope: "write_safe" }), await agentOf(acme, { scope: "write_destructive" })];
  const site = await website(acmePage);
  const work = () => withWorker(on, (worker) => worker.drained());
  const made = await safe.call("create_record", { object_type: "lead", data: { url: "https://acme-rockets.example/" } });
  const { id } = made.structuredContent.record;

  const asked = await safe.call("enrich", { object_type: "lead", id });
  await safe.call("update_record", { object_type: "lead", id, data: { url: `${site.url}?secret` } });
  await work();
  const visitsOfSafe = site.visits;
  await wide.call("enrich", { object_type: "lead", id });
  await work();

  assert.equal(asked.isError, undefined, JSON.stringify(asked.structuredContent));
  assert.deepEqual([visitsOfSafe, site.visits > 0], [0, true]);
});

test("a home page is that of a domain by itself", () => {
  const plain = ["https://acme.example/", "https://www.acme.co.uk/", "http://acme.io", "https://bücher.de/"];
  const others = [
    "https://acme.example/about",
    "https://acme.example/?a=1",
    "https://acme.example:8443/",
    "https://user@acme.example/",
    "https://secret.acme.example/",
    "https://a.b.c.example/",
    "http://203.0.113.7/",
    "http://[::1]/",
    "https://acme.example/#x",
  ];

  assert.deepEqual(
    plain.map(isHomePage),
    plain.map(() => true),
  );
  assert.deepEqual(
    others.map(isHomePage),
    others.map(() => false),
  );
});
