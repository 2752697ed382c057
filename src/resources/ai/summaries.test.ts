import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { service } from "../../../test/support/service.ts";

const onAWednesday = async () => {
  (await service()).clock.now = new Date("2026-03-11T10:00:00Z");
};

const sent = (ws: Workspace, lead: any, body: object) =>
  ws.post("/activity/email/", { lead_id: lead.id, status: "sent", to: ["ann@kiel.example"], ...body });
const received = (ws: Workspace, lead: any, body: object) =>
  ws.post("/activity/email/", { lead_id: lead.id, status: "inbox", sender: "ann@kiel.example", ...body });

describe("the summary of a lead", () => {
  beforeEach(onAWednesday);

  test("says who it is, what is going on and what to do next, from facts alone", async () => {
    const acme = await organization();
    const lead = await acme.lead({ name: "Kiel Boats", industry: "Machinery", owner_id: acme.userId, tags: ["vip"] });
    await acme.contact({ lead_id: lead.id, name: "Ann Berg", title: "CTO", emails: [{ email: "ann@kiel.example" }] });
    await acme.opportunity({ lead_id: lead.id, value: 1_200_000 });
    await sent(acme, lead, { subject: "Our offer", activity_at: "2026-03-01T09:00:00Z", date_sent: "2026-03-01T09:00:00Z" });
    await received(acme, lead, { subject: "Re: Our offer", date_sent: "2026-03-10T09:00:00Z" });
    await acme.task({ lead_id: lead.id, text: "Send the drawings", date: "2026-03-09" });

    const told = await acme.post("/ai/summarize_lead/", { lead_id: lead.id });

    assert.equal(
      told.summary,
      "Kiel Boats is a lead in Machinery with the status Potential, owned by Ada Admin. It has one contact: Ann Berg (CTO). " +
        "There is one open deal worth $12,000.00 one-time; the newest is in Active. " +
        "The last contact was an e-mail yesterday: “Re: Our offer”. There is one task to do; next, 2026-03-09: “Send the drawings”.",
    );
    assert.deepEqual(told.highlights, [
      "Open deals: $12,000.00 one-time",
      "They wrote yesterday and wait for an answer",
      "A task is overdue since 2026-03-09",
      "Tags: vip",
    ]);
    assert.deepEqual(told.next_steps, ["Answer their e-mail “Re: Our offer”", "Overdue: “Send the drawings”"]);
    assert.deepEqual([told.model, told.generated_at], ["rules", "2026-03-11T10:00:00.000Z"]);
  });

  test("of a new lead says what is missing, in as many words as are asked for", async () => {
    const acme = await organization();
    const lead = await acme.lead({ name: "Bare" });

    const whole = await acme.post("/ai/summarize_lead/", { lead_id: lead.id });
    const short = await acme.post("/ai/summarize_lead/", { lead_id: lead.id, max_words: 20 });

    assert.match(whole.summary, /^Bare is a lead with the status Potential, without an owner\. No contact is known\./);
    assert.deepEqual(whole.next_steps, [
      "Find out whom to talk to, and add a contact",
      "Find an e-mail address or a phone number",
    ]);
    assert.ok(short.summary.split(" ").length <= 20);
    await acme.refused(400, "POST", "/ai/summarize_lead/", { lead_id: lead.id, max_words: 5 }, "max_words");
  });

  test("is for those who see the lead", async () => {
    const acme = await organization();
    const lead = await acme.lead();
    const restricted = await acme.member("restricteduser");

    for (const [path, body] of [
      ["summarize_lead", { lead_id: lead.id }],
      ["suggest_opportunity", { lead_id: lead.id }],
      ["draft_email", { lead_id: lead.id }],
    ] as const) {
      await restricted.refused(400, "POST", `/ai/${path}/`, body, "lead_id");
      await (await organization()).refused(400, "POST", `/ai/${path}/`, body, "lead_id");
    }
  });
});

describe("the summary of a conversation", () => {
  beforeEach(onAWednesday);

  test("tells how it began, how it stands, what was asked and promised, and is stored", async () => {
    const acme = await organization();
    const lead = await acme.lead();
    const person = await acme.contact({ lead_id: lead.id, name: "Ann", emails: [{ email: "ann@kiel.example" }] });
    const talk = await acme.post("/conversation/", { contact_id: person.id, subject: "The offer" });
    const at = { conversation_id: talk.id, contact_id: person.id };
    await sent(acme, lead, {
      ...at,
      subject: "The offer",
      body_text: "Here is our offer. I'll call you tomorrow.",
      date_sent: "2026-03-09T09:00:00Z",
    });
    await received(acme, lead, {
      ...at,
      subject: "Re: The offer",
      body_text: "Thanks, great offer! Is delivery included?\n> Is this quoted?",
      date_sent: "2026-03-10T09:00:00Z",
    });

    const told = await acme.post("/ai/summarize_conversation/", { conversation_id: talk.id });

    assert.deepEqual(
      [told.sentiment, told.action_items, told.open_questions],
      ["positive", ["I'll call you tomorrow."], ["Is delivery included?"]],
    );
    assert.match(told.summary, /^The conversation about “The offer” \(email\) has 2 messages, the first on 2026-03-09\./);
    assert.match(told.summary, /They wait for an answer\.$/);
    assert.equal((await acme.get(`/conversation/${talk.id}/`)).summary, told.summary);
    assert.equal((await acme.events(talk.id)).at(-1)!.event, "conversation.updated");
  });

  const sounds: readonly (readonly [string, string])[] = [
    ["This is not acceptable, the delivery is late and wrong.", "negative"],
    ["Not bad at all!", "positive"],
    ["We are not happy.", "negative"],
    ["The parcel has four boxes.", "neutral"],
    ["Vielen Dank, das ist super.", "positive"],
    ["Malheureusement, nous voulons annuler.", "negative"],
    ["Gracias, perfecto.", "positive"],
  ];
  for (const [text, sentiment] of sounds)
    test(`"${text}" sounds ${sentiment}`, async () => {
      const acme = await organization();
      const lead = await acme.lead();
      const talk = await acme.post("/conversation/", { lead_id: lead.id });
      await received(acme, lead, { conversation_id: talk.id, subject: "", body_text: text });

      assert.equal((await acme.post("/ai/summarize_conversation/", { conversation_id: talk.id })).sentiment, sentiment);
    });

  test("without words says so, and one that the caller does not see is refused", async () => {
    const acme = await organization();
    const lead = await acme.lead();
    const talk = await acme.post("/conversation/", { lead_id: lead.id });
    const restricted = await acme.member("restricteduser");

    assert.equal(
      (await acme.post("/ai/summarize_conversation/", { conversation_id: talk.id })).summary,
      "Nothing was said yet in this conversation.",
    );
    await restricted.refused(400, "POST", "/ai/summarize_conversation/", { conversation_id: talk.id }, "conversation_id");
  });
});

describe("a suggested opportunity", () => {
  test("has the amount that was named, or the median of what was won, and the share of deals that were won", async () => {
    const acme = await organization();
    const statuses = (await acme.get("/status/opportunity/")).data;
    const ofType = (type: string) => statuses.find((one: any) => one.type === type).id;
    for (const value of [100_000, 300_000, 9_000_000])
      await acme.opportunity({ value, status_id: ofType("won"), value_period: "monthly" });
    await acme.opportunity({ value: 1, status_id: ofType("lost") });
    const [quiet, loud] = [await acme.lead({ name: "Quiet" }), await acme.lead({ name: "Loud" })];
    await acme.note({ lead_id: loud.id, note: "They would pay $12.5k a year." });

    const median = (await acme.post("/ai/suggest_opportunity/", { lead_id: quiet.id })).suggestion;
    const named = await acme.post("/ai/suggest_opportunity/", { lead_id: loud.id });

    assert.deepEqual(
      [median.value, median.value_period, median.confidence, median.status_id],
      [300_000, "monthly", 75, ofType("active")],
    );
    assert.equal(median.rationale, "$3,000.00 is the median of 3 deals won in two years. 3 of 4 closed deals were won.");
    assert.equal(named.suggestion.value, 1_250_000);
    assert.deepEqual(named.suggestions, [named.suggestion]);
    assert.deepEqual((await acme.get(`/opportunity/?lead_id=${loud.id}`)).data, []);
  });

  test("is none while there is an open one, and a guess where nothing is known", async () => {
    const acme = await organization();
    const [lead, other] = [await acme.lead(), await acme.lead()];
    await acme.opportunity({ lead_id: lead.id });

    assert.deepEqual(await acme.post("/ai/suggest_opportunity/", { lead_id: lead.id }), { suggestions: [], suggestion: null });
    const { suggestion } = await acme.post("/ai/suggest_opportunity/", { lead_id: other.id });
    assert.deepEqual([suggestion.value, suggestion.confidence], [null, 20]);
    // Reading these again from each digit would take minutes.
    await acme.note({ lead_id: other.id, note: `${"1".repeat(90_000)} and $2,500.50, not 7 dollars` });
    assert.equal((await acme.post("/ai/suggest_opportunity/", { lead_id: other.id })).suggestion.value, 250_050);
  });
});

describe("a drafted e-mail", () => {
  test("says what was asked for, in the tone and language, and is text wherever it names somebody", async () => {
    const acme = await organization();
    const lead = await acme.lead({ name: "Kiel <b>Boats</b> {name}" });
    await acme.contact({ lead_id: lead.id, name: "Nobody" });
    const ann = await acme.contact({ lead_id: lead.id, name: "Ann Berg", emails: [{ email: "ann@kiel.example" }] });

    const draft = await acme.post("/ai/draft_email/", { lead_id: lead.id, prompt: "Ask for a meeting" });
    const german = await acme.post("/ai/draft_email/", {
      contact_id: ann.id,
      tone: "formal",
      language: "de",
      instructions: "offer",
    });

    assert.deepEqual(
      [draft.contact_id, draft.lead_id, draft.subject],
      [ann.id, lead.id, "A meeting with Kiel <b>Boats</b> {name}"],
    );
    assert.match(
      draft.body_text,
      /^Hi Ann,\n\nI would like to find a time .* Kiel <b>Boats<\/b> \{name\} .*\n\n.*\n\nBest,\nAda Admin$/s,
    );
    assert.match(draft.body_html, /Kiel &lt;b&gt;Boats&lt;\/b&gt;/);
    assert.equal(draft.body, draft.body_html);
    assert.match(german.body_text, /^Guten Tag Ann Berg,\n\nwie besprochen .*\n\n.*\n\nMit freundlichen Grüßen\nAda Admin$/s);
    assert.deepEqual((await acme.get(`/activity/email/?lead_id=${lead.id}`)).data, []);
  });

  test("answers an e-mail in its language and under its subject", async () => {
    const acme = await organization();
    const lead = await acme.lead();
    const mail = await received(acme, lead, {
      subject: "AW: Angebot",
      body_text: "Vielen Dank für die Nachricht, wir melden uns bei Ihnen und prüfen das.",
    });

    const draft = await acme.post("/ai/draft_email/", { lead_id: lead.id, in_reply_to_id: mail.id });

    assert.equal(draft.subject, "Re: Angebot");
    assert.match(draft.body_text, /vielen Dank für Ihre Nachricht/);
    assert.equal(draft.contact_id, null);
  });

  test("fills in a template", async () => {
    const acme = await organization();
    const person = await acme.contact({ name: "Ann Berg" });
    const template = await acme.post("/email_template/", {
      name: "Hello",
      subject: "Hi {{ contact.first_name }}",
      body: "<p>Dear {{ contact.name }}</p>",
    });

    const draft = await acme.post("/ai/draft_email/", { contact_id: person.id, template_id: template.id });

    assert.deepEqual(
      [draft.subject, draft.body_html, draft.body_text.trim()],
      ["Hi Ann", "<p>Dear Ann Berg</p>", "Dear Ann Berg"],
    );
  });

  test("needs somebody to write to, and what it names at the same lead", async () => {
    const acme = await organization();
    const [one, other] = [await acme.contact(), await acme.contact()];
    const mail = await received(acme, { id: other.lead_id }, { subject: "Hi", body_text: "Hi" });
    const refused = (body: object, field: string) => acme.refused(400, "POST", "/ai/draft_email/", body, field);

    await refused({}, "lead_id");
    await refused({ contact_id: "cont_none" }, "contact_id");
    await refused({ contact_id: one.id, lead_id: other.lead_id }, "contact_id");
    await refused({ contact_id: one.id, in_reply_to_id: mail.id }, "in_reply_to_id");
    await refused({ contact_id: one.id, template_id: "tmpl_none" }, "template_id");
    await refused({ contact_id: one.id, tone: "angry" }, "tone");
    await refused({ contact_id: one.id, language: "German" }, "language");
  });
});
