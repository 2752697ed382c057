// The helpers with a model: it writes the prose, and turns words into a rubric or a query.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { before, describe, test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { type Answered, connectModel, json, type ModelServer, startModel, tokensOf } from "../../../test/support/model.ts";
import { outboundService } from "../../../test/support/outbound.ts";

let model: ModelServer;
before(async () => {
  model = await startModel(() => ({ text: "{}" }));
});

async function connected(answers: () => Answered, provider?: "openai" | "anthropic" | "google"): Promise<Workspace> {
  const acme = await organization(await outboundService());
  await connectModel(acme, model, provider);
  model.answers = answers;
  return acme;
}

describe("a model", () => {
  test("writes the summary of a lead, whatever its provider, from data that is marked as data", async () => {
    for (const provider of ["openai", "anthropic", "google"] as const) {
      const acme = await connected(() => json({ summary: "A yard in Kiel. They want a boat." }), provider);
      const lead = await acme.lead({ name: "Kiel Boats" });
      await acme.note({ lead_id: lead.id, note: "They want a boat." });

      const told = await acme.post("/ai/summarize_lead/", { lead_id: lead.id });
      const ruled = await acme.post("/ai/summarize_lead/", { lead_id: lead.id, model: "rules" });

      assert.deepEqual([told.summary, told.model, told.notice], ["A yard in Kiel. They want a boat.", "tiny-1", null]);
      assert.deepEqual(told.next_steps, ruled.next_steps);
      assert.match(ruled.summary, /^Kiel Boats is a lead/);
      const { system, user, provider: asked } = model.asked.at(-1)!;
      const [, mark, data] = /^<data (\w+)>\n(.*)\n<\/data \1>$/s.exec(user)!;
      assert.equal(asked, provider);
      assert.ok(system.includes(`<data ${mark}>`) && !system.includes("boat"));
      assert.deepEqual(JSON.parse(data!).said[0].words, "They want a boat.");
      assert.equal(await tokensOf(acme), 100);
      const shown = (await acme.get("/credentials/")).data.find((one: any) => one.is_connected);
      assert.deepEqual([shown.last_error, shown.last_verified_at !== null], [null, true]);
    }
  });

  test("writes a draft by the caller's wishes, as text, and an answer keeps its subject", async () => {
    const acme = await connected(() =>
      json({ subject: "A boat", body: "Hi Ann,\n\nprices <b>rise</b>. See https://acme.example/prices.\n\nAda" }),
    );
    const lead = await acme.lead();
    const mail = {
      lead_id: lead.id,
      status: "inbox",
      sender: "ann@kiel.example",
      subject: "Prices",
      body_text: "What do they cost?",
    };
    const asked = await acme.post("/activity/email/", mail);

    const prompt = "Prices rise, see https://acme.example/prices";
    const draft = await acme.post("/ai/draft_email/", { lead_id: lead.id, prompt, in_reply_to_id: asked.id });

    assert.deepEqual([draft.subject, draft.model], ["Re: Prices", "tiny-1"]);
    assert.match(draft.body_html, /prices &lt;b&gt;rise&lt;\/b&gt;/);
    const { user } = model.asked.at(-1)!;
    assert.ok(user.startsWith("<wishes ") && user.includes(prompt) && user.includes("What do they cost?"));
    assert.deepEqual((await acme.get(`/activity/email/?lead_id=${lead.id}`)).data.length, 1);
  });

  test("writes the summary of a conversation, which is stored; a try asks no model", async () => {
    const acme = await connected(() => json({ summary: "They want a boat by May." }));
    const lead = await acme.lead();
    const talk = await acme.post("/conversation/", { lead_id: lead.id });
    const said = { lead_id: lead.id, conversation_id: talk.id, status: "inbox", sender: "ann@kiel.example" };
    await acme.post("/activity/email/", { ...said, subject: "Boat", body_text: "Great! Can you deliver by May?" });
    const before = model.asked.length;

    const tried = await acme.post("/ai/summarize_conversation/?dry_run=true", { conversation_id: talk.id });
    const untold = model.asked.length - before;
    const told = await acme.post("/ai/summarize_conversation/", { conversation_id: talk.id });

    assert.deepEqual([tried.result.model, untold], ["rules", 0]);
    assert.deepEqual([told.summary, told.model, told.sentiment], ["They want a boat by May.", "tiny-1", "positive"]);
    assert.deepEqual(told.open_questions, ["Can you deliver by May?"]);
    assert.equal((await acme.get(`/conversation/${talk.id}/`)).summary, told.summary);
  });

  test("makes a rubric that is saved as it is and scores the next lead, and writes nothing itself", async () => {
    const criterion = { key: "boats", label: "Boats", weight: 3, field: "industry", operator: "contains", value: ["boat"] };
    const acme = await connected(() =>
      json({ name: "Yards", criteria: [criterion, { ...criterion, key: "de", weight: 1 }], extra: 1 }),
    );
    const lead = await acme.lead({ industry: "Boat yards" });

    const { rubric, model: by } = await acme.post("/ai/generate_icp_rubric/", { description: "Boat yards" });
    const unsaved = (await acme.get(`/organization/${acme.id}/`)).settings.icp;
    await acme.put(`/organization/${acme.id}/`, { settings: { icp: { rubric } } });
    const { settings } = await acme.get(`/organization/${acme.id}/`);
    const { score, rubric_source } = await acme.post("/ai/score_lead/", { lead_id: lead.id });

    assert.deepEqual([by, unsaved, rubric.extra], ["tiny-1", undefined, undefined]);
    assert.deepEqual(settings.icp.rubric, rubric);
    assert.deepEqual([score, rubric_source], [100, "organization"]);
  });

  test("makes a query of a question, which finds what the caller sees", async () => {
    const name = {
      type: "field_condition",
      field: { type: "regular_field", field_name: "industry" },
      condition: { type: "text", value: "Boats", mode: "phrase" },
    };
    const acme = await connected(() => json({ object_type: "lead", query: name, explanation: "Leads that build boats." }));
    const lead = await acme.lead({ industry: "Boats", owner_id: acme.userId });
    const restricted = await acme.member("restricteduser");

    const found = await acme.post("/ai/search/", { query: "yards" });
    const unseen = await restricted.post("/ai/search/", { query: "yards" });

    assert.deepEqual(
      [found.data.map(({ id }: any) => id), found.model, found.explanation],
      [[lead.id], "tiny-1", "Leads that build boats."],
    );
    assert.deepEqual([unseen.data, unseen.model], [[], "tiny-1"]);
  });
});

describe("a model that is of no use", () => {
  const useless: readonly (readonly [string, Answered, RegExp])[] = [
    ["calls a tool", { tool: "delete_lead" }, /call of a tool/],
    ["answers no JSON", { text: "Certainly! Here is" }, /not JSON/],
    ["answers something else", json({ text: "x" }), /without a text/],
    ["does not take the key", { status: 401 }, /does not accept the API key/],
  ];
  for (const [what, answered, notice] of useless)
    test(`because it ${what} leaves the answer to the rules, which say so`, async () => {
      const acme = await connected(() => answered);
      const lead = await acme.lead({ name: "Kiel Boats" });

      const told = await acme.post("/ai/summarize_lead/", { lead_id: lead.id });

      assert.match(told.summary, /^Kiel Boats is a lead/);
      assert.equal(told.model, "rules");
      assert.match(told.notice, notice);
    });

  test("because its rubric or query is none leaves it to the rules too", async () => {
    const condition = { field: "industri", operator: "equals", value: "x" };
    const acme = await connected(() =>
      json({
        criteria: [{ key: "a", label: "A", weight: 1, ...condition }],
        object_type: "lead",
        query: { type: "sql", text: "select 1" },
        explanation: "x",
      }),
    );

    const made = await acme.post("/ai/generate_icp_rubric/", { description: "Software" });
    const found = await acme.post("/ai/search/", { query: "leads in Germany" });

    assert.deepEqual([made.model, made.rubric.criteria[0].field], ["rules", "industry"]);
    assert.match(made.notice, /industri.* is not a field|not valid/);
    assert.deepEqual([found.model, found.explanation], ["rules", "Finds records of the kind lead with an address in DE."]);
  });
});

describe("the cost", () => {
  const summarize = (acme: Workspace, lead: any, body: object = {}) =>
    acme.ask("POST", "/ai/summarize_lead/", { body: { lead_id: lead.id, ...body } });

  test("is a 503 while the provider is away, and a 402 without credit; rules go on", async () => {
    const acme = await connected(() => ({ status: 529 }));
    const lead = await acme.lead();

    const away = await fetch(`${acme.service.url}/api/v1/ai/summarize_lead/`, {
      method: "POST",
      headers: { authorization: `Bearer ${acme.key}`, "content-type": "application/json" },
      body: JSON.stringify({ lead_id: lead.id }),
    });
    const reason = ((await away.json()) as any)["field-errors"].model;
    model.answers = () => ({ status: 402 });
    const unpaid = await summarize(acme, lead);

    assert.deepEqual([away.status, unpaid.status, (await summarize(acme, lead, { model: "rules" })).status], [503, 402, 200]);
    assert.match(reason, /^does not answer: Anthropic answered 529; send "rules"/);
    assert.ok(Number(away.headers.get("retry-after")) >= 1);
    assert.equal(await tokensOf(acme), 0);
  });

  test("of an answer without end, or of one that is said to have cost a fortune, is what a call may cost", async () => {
    const acme = await connected(() => ({ by: (response) => void response.end("x".repeat(3 * 1024 * 1024)) }));
    const lead = await acme.lead();
    const costOf = async () => {
      const before = await tokensOf(acme);
      const { status } = await summarize(acme, lead);
      return { status, tokens: (await tokensOf(acme)) - before };
    };

    const flood = await costOf();
    const usage = { input_tokens: 900_000, output_tokens: 90_000 };
    const body = { content: [{ type: "text", text: '{"summary":"A lead."}' }], usage };
    model.answers = () => ({ status: 200, body });
    const fortune = await costOf();

    assert.deepEqual([flood.status, fortune.status], [200, 200]);
    for (const { tokens } of [flood, fortune]) assert.ok(tokens > 0 && tokens <= 8000, `${tokens} tokens`);
  });

  test("that meets a cap says which, how much of it is used, and until when", async () => {
    const acme = await connected(() => json({ summary: "A lead." }));
    const lead = await acme.lead();
    const refusalUnder = async (ai: object) => {
      await acme.put(`/organization/${acme.id}/`, { settings: { ai } });
      return (await summarize(acme, lead)).body.error as string;
    };
    acme.service.clock.now = new Date("2026-12-15T10:00:00Z");

    const ofDay = await refusalUnder({ tokens_per_day: 5 });
    const ofMonth = await refusalUnder({ tokens_per_day: null, tokens_per_month: 7 });
    acme.service.clock.now = null;

    assert.match(ofDay, /used up until 2026-12-16T00:00:00.000Z: 0 of 5 are used \(settings\.ai\.tokens_per_day\)/);
    assert.match(ofMonth, /used up until 2027-01-01T00:00:00.000Z: 0 of 7 are used \(settings\.ai\.tokens_per_month\)/);
  });

  test("is capped for a day and a month, also for those who ask while another is answered", async () => {
    const acme = await connected(() => json({ summary: "A lead." }));
    const lead = await acme.lead();
    const cap = (ai: object) => acme.put(`/organization/${acme.id}/`, { settings: { ai } });
    await cap({ tokens_per_day: 4000 });
    const held = Promise.withResolvers<ServerResponse>();
    model.answers = () => ({ by: held.resolve });
    const before = model.asked.length;

    const first = summarize(acme, lead);
    const response = await held.promise;
    const second = await summarize(acme, lead);
    response.end(
      JSON.stringify({
        content: [{ type: "text", text: '{"summary":"A lead."}' }],
        usage: { input_tokens: 9, output_tokens: 1 },
      }),
    );
    const answered = await first;
    await cap({ tokens_per_day: 1_000_000, tokens_per_month: 10 });
    const overMonth = await summarize(acme, lead);
    await cap({ provider: "rules" });

    assert.deepEqual([answered.body.summary, second.status, overMonth.status], ["A lead.", 402, 402]);
    assert.deepEqual([model.asked.length - before, await tokensOf(acme)], [1, 10]);
    await atMoment(acme.service, new Date(Date.now() + 91 * 86_400_000).toISOString(), "ai_days");
    acme.service.clock.now = null;
    assert.equal(await tokensOf(acme), 0);
    assert.match(second.body.error, /settings\.ai/);
    assert.equal((await summarize(acme, lead)).body.model, "rules");
    const wrong = { settings: { ai: { tokens_per_day: -1 } } };
    await acme.refused(400, "PUT", `/organization/${acme.id}/`, wrong, "settings.ai.tokens_per_day");
  });
});
