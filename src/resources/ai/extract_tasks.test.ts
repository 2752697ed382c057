import assert from "node:assert/strict";
import { before, beforeEach, describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

describe("tasks in a text", () => {
  let acme: Workspace;
  before(async () => {
    acme = await organization();
  });
  // A Wednesday.
  beforeEach(() => {
    acme.service.clock.now = new Date("2026-03-11T10:00:00Z");
  });
  const found = async (text: string, more: object = {}): Promise<any[]> =>
    (await acme.post("/ai/extract_tasks/", { text, ...more })).tasks;

  const table: readonly (readonly [string, readonly [string, string | null, string | null] | null])[] = [
    ["Please call Ann tomorrow.", ["call", "2026-03-12", null]],
    ["Call me back ASAP!", ["call", null, "high"]],
    ["I'll send you the offer by Friday.", ["email", "2026-03-13", null]],
    ["Could you please send the contract next Monday?", ["email", "2026-03-16", null]],
    ["- [ ] Book a demo on March 20", ["meeting", "2026-03-20", null]],
    ["- [x] Book a demo on March 20", null],
    ["TODO: update the price list", ["lead", null, null]],
    ["Follow up in two weeks, no rush.", ["lead", "2026-03-25", "low"]],
    ["Text him on January 5.", ["sms", "2027-01-05", null]],
    ["We have to sign by 2026-04-01.", ["lead", "2026-04-01", null]],
    ["The meeting went well.", null],
    ["They sell bicycles in four countries.", null],
    ["Will be out of the office.", null],
    ["Bitte rufen Sie mich morgen an.", ["call", "2026-03-12", null]],
    ["Ich werde Ihnen das Angebot am Freitag schicken.", ["email", "2026-03-13", null]],
    ["Das Gespräch mit der Firma war gut und nicht zu lang.", null],
    ["Merci de nous envoyer le contrat demain.", ["email", "2026-03-12", null]],
    ["Je vais vous rappeler lundi.", ["call", "2026-03-16", null]],
    ["Por favor, llame a la oficina mañana.", ["call", "2026-03-12", null]],
    ["Tenemos que enviar la propuesta urgente.", ["email", null, "high"]],
  ];
  for (const [text, expected] of table)
    test(`"${text}" is ${expected === null ? "none" : expected.filter((one) => one !== null).join(", ")}`, async () => {
      const tasks = await found(text);

      assert.deepEqual(
        tasks.map(({ _type, date, priority }) => [_type, date, priority]),
        expected === null ? [] : [expected],
      );
    });

  test("are two where a sentence asks for two things, and one where it only says more of it", async () => {
    const two = await found("Call Ann next Tuesday at 10, and send the offer by Friday.");
    const one = await found("Please review and sign the contract by Friday, and the plan.");
    const none = await found("Please do not call Ann, and send her nothing.");

    assert.deepEqual(
      two.map(({ text, _type, date }) => [text, _type, date]),
      [
        ["Call Ann next Tuesday at 10", "call", "2026-03-17"],
        ["send the offer by Friday.", "email", "2026-03-13"],
      ],
    );
    assert.deepEqual([one.length, none.length], [1, 0]);
  });

  test("are read from messages, conversations and leads, and created for the caller", async () => {
    const lead = await acme.lead();
    const note = await acme.note({ lead_id: lead.id, note: "Nice talk. Please send the price list tomorrow." });

    const ofNote = await acme.post("/ai/extract_tasks/", { activity_id: note.id });
    const ofLead = await acme.post("/ai/extract_tasks/", { lead_id: lead.id, create: true });

    assert.deepEqual(ofNote.created_ids, []);
    assert.deepEqual(ofLead.tasks, ofNote.tasks);
    assert.equal(ofNote.tasks[0].text, "Please send the price list tomorrow.");
    const made = await acme.get(`/task/${ofLead.created_ids[0]}/`);
    assert.deepEqual(
      [made.lead_id, made.text, made.date, made._type, made.assigned_to],
      [lead.id, "Please send the price list tomorrow.", "2026-03-12", "email", acme.userId],
    );
  });

  test("of a conversation come from its messages, oldest first", async () => {
    const person = await acme.contact({ name: "Ann" });
    const talk = await acme.post("/conversation/", { contact_id: person.id });
    await acme.post("/activity/note/", { lead_id: person.lead_id, conversation_id: talk.id, note: "Call Ann tomorrow" });

    const { tasks } = await acme.post("/ai/extract_tasks/", { conversation_id: talk.id });

    assert.deepEqual(
      tasks.map(({ text }: any) => text),
      ["Call Ann tomorrow"],
    );
  });

  test("need one source that the caller sees, and a lead to be created at", async () => {
    const other = await organization();
    const lead = await acme.lead();
    const refused = (body: object, field: string) => acme.refused(400, "POST", "/ai/extract_tasks/", body, field);

    await refused({}, "text");
    await refused({ activity_id: "acti_none", lead_id: lead.id }, "text");
    await refused({ activity_id: "acti_none" }, "activity_id");
    await refused({ conversation_id: "conv_none" }, "conversation_id");
    await refused({ text: "Call Ann", create: true }, "lead_id");
    await other.refused(400, "POST", "/ai/extract_tasks/", { lead_id: lead.id }, "lead_id");
    await other.refused(400, "POST", "/ai/extract_tasks/", { text: "Call Ann", lead_id: lead.id, create: true }, "lead_id");
    assert.equal(
      (await acme.post("/ai/extract_tasks/", { text: "Call Ann", lead_id: lead.id, create: true })).created_ids.length,
      1,
    );
  });

  test("of a text that is nothing but tasks are fifty at most, and its last words count", async () => {
    const lead = await acme.lead();
    await acme.note({ lead_id: lead.id, note: "They sell bicycles.\n".repeat(5000) });
    await acme.note({ lead_id: lead.id, note: "Call Ann tomorrow" });

    const many = await found(Array.from({ length: 9000 }, (_, i) => `Call ${i}`).join("\n"));
    const { tasks } = await acme.post("/ai/extract_tasks/", { lead_id: lead.id });

    assert.deepEqual([many.length, many.at(-1).text], [50, "Call 49"]);
    assert.deepEqual(
      tasks.map(({ text }: any) => text),
      ["Call Ann tomorrow"],
    );
  });
});
