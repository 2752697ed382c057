// A call that is answered without the SDK is answered as the SDK would.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../test/support/given.ts";

const versionKey = "io.modelcontextprotocol/protocolVersion";
const meta = { [versionKey]: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };

/** `aside` is a parameter that no revision knows: with it a call is not a plain one, and is left to the SDK. */
async function call(
  key: string,
  url: string,
  params: { name: string; [key: string]: unknown },
  isModern: boolean,
  aside = false,
) {
  const response = await fetch(`${url}/mcp/`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(isModern && { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": params.name }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "é1",
      method: "tools/call",
      params: { ...params, ...(isModern && { _meta: meta }), ...(aside && { aside }) },
    }),
  });
  const text = await response.text();
  const isEvent = response.headers.get("content-type")!.startsWith("text/event-stream");
  return { isEvent, message: JSON.parse(isEvent ? /^data: (.*)$/m.exec(text)![1]! : text) };
}

for (const isModern of [false, true])
  test(`a plain call of the ${isModern ? "newest" : "older"} revision has the answer of the SDK`, async () => {
    const acme = await organization();
    const calls = [
      { name: "list_object_types" },
      { name: "get_record", arguments: { object_type: "lead", id: "lead_no" } },
      { name: "list_records", arguments: { object_type: "lead", limits: 3 } },
    ];

    for (const params of calls) {
      const plain = await call(acme.key, acme.service.url, params, isModern);
      const other = await call(acme.key, acme.service.url, params, isModern, true);
      assert.deepEqual(plain.message, other.message);
      assert.equal(plain.message.id, "é1");
      assert.equal(plain.isEvent, false);
    }
  });

test("a message that is not plainly right is refused in the words of the protocol", async () => {
  const acme = await organization();
  const { message: unknown } = await call(acme.key, acme.service.url, { name: "nope" }, false);
  const { message: args } = await call(acme.key, acme.service.url, { name: "list_records", arguments: [] }, false);

  assert.equal(unknown.error.code, -32602);
  assert.ok(args.error !== undefined || args.result.isError);
});
