// What agents find at `/mcp/`, with the official client.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { agentOf } from "../../test/support/agent.ts";
import { organization } from "../../test/support/given.ts";

describe("an agent", () => {
  for (const era of ["2025-11-25", "2026-07-28"] as const)
    test(`of the era ${era} lists tools, lists records and reads one`, async () => {
      const acme = await organization();
      const lead = await acme.post("/lead/", { name: "Globex" });
      const agent = await agentOf(acme, { era });

      assert.equal(agent.client.getNegotiatedProtocolVersion(), era);
      const { tools } = await agent.client.listTools();
      assert.ok(tools.some(({ name }) => name === "list_records"));
      const list = await agent.call("list_records", { object_type: "lead", query: "Globex" });
      assert.equal(list.isError, undefined);
      assert.deepEqual(
        list.structuredContent.data.map(({ id }: any) => id),
        [lead.id],
      );
      const one = await agent.call("get_record", { object_type: "lead", id: lead.id });
      assert.equal(one.structuredContent.record.name, "Globex");
      const none = await agent.call("get_record", { object_type: "lead", id: "lead_no" });
      assert.deepEqual([none.isError, none.structuredContent], [true, { error: "Not Found", "field-errors": {} }]);
      await agent.client.close();
    });
});
