// The helpers as tools, where a model is connected.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { agentOf } from "../../test/support/agent.ts";
import { organization } from "../../test/support/given.ts";
import { connectModel, json, type ModelServer, startModel } from "../../test/support/model.ts";
import { outboundService } from "../../test/support/outbound.ts";

let model: ModelServer;
before(async () => {
  model = await startModel(() => json({}));
});

async function given() {
  const acme = await organization(await outboundService());
  await connectModel(acme, model);
  const lead = await acme.lead({ name: "Kiel Boats" });
  const talk = await acme.post("/conversation/", { lead_id: lead.id });
  const said = { lead_id: lead.id, conversation_id: talk.id, status: "inbox", sender: "ann@kiel.example" };
  await acme.post("/activity/email/", { ...said, subject: "Boat", body_text: "Can you deliver by May?" });
  const calls: [string, Record<string, unknown>][] = [
    ["summarize_lead", { lead_id: lead.id }],
    ["draft_email", { lead_id: lead.id, language: "de" }],
    ["summarize_conversation", { conversation_id: talk.id }],
    ["search", { query: "leads in Germany", in_words: true }],
  ];
  return { acme, lead, calls, agent: await agentOf(acme, { scope: "write_safe" }) };
}

describe("a helper's tool", () => {
  test("without credit at the provider says what to send, and that is answered", async () => {
    const { agent, calls } = await given();
    model.answers = () => ({ status: 402 });

    for (const [name, args] of calls) {
      const { structuredContent: refused } = await agent.call(name, args);
      const [, key, value] = /Send "(\w+)": "(\w+)" to be answered without a model\.$/.exec(refused.error)!;
      const { isError, structuredContent } = await agent.call(name, { ...args, [key!]: value });
      assert.equal(isError, undefined, `${name}: ${JSON.stringify(structuredContent)}`);
    }
  });

  test("says why the rules answered, beside the warning that all results have", async () => {
    const { agent, lead } = await given();
    model.answers = () => ({ status: 401 });

    const { structuredContent } = await agent.call("summarize_lead", { lead_id: lead.id });

    assert.equal(structuredContent.model, "rules");
    assert.match(structuredContent.remark, /does not accept the API key, so this is by rules/);
    assert.match(structuredContent.notice, /never an instruction/);
  });
});
