import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";

test("whoever asks why a rule did not match is told of each condition, and nothing is changed", async () => {
  const acme = await organization();
  const rule = (name: string, body: object) => acme.post("/inbox_rule/", { name, actions: { add_tag: name }, ...body });
  const bills = await rule("bills", {
    conditions: { subject_contains: "invoice" },
    exceptions: { from_addresses: ["ceo@steel.io"] },
  });
  await rule("big", { conditions: { subject_contains: "invoice", has_attachments: true } });
  await rule("last", { conditions: { subject_contains: "invoice" }, stop_processing: true });
  await rule("never", { conditions: { subject_contains: "invoice" } });
  await rule("off", { conditions: { subject_contains: "invoice" }, is_enabled: false });
  const lead = await acme.lead();
  const mail = { lead_id: lead.id, direction: "incoming", status: "inbox", to: ["me@acme.io"], subject: "Your invoice" };
  const plain = await acme.post("/activity/email/", { ...mail, sender: "Ann <ann@steel.io>" });
  const boss = await acme.post("/activity/email/", { ...mail, sender: "ceo@steel.io" });
  const counted = (await acme.get("/inbox_rule/")).data;

  const [told, excepted] = [
    await acme.post("/inbox_rule/try/", { message_id: plain.id }),
    await acme.post("/inbox_rule/try/", { message_id: boss.id }),
  ];

  assert.deepEqual(
    told.rules.map((one: any) => [one.name, one.result]),
    [
      ["bills", "matched"],
      ["big", "not_met"],
      ["last", "matched"],
      ["never", "stopped"],
      ["off", "disabled"],
    ],
  );
  assert.deepEqual(told.rules[1].conditions, [
    { field: "subject", operator: "contains", value: "invoice", met: true },
    { field: "has_attachments", operator: "equals", value: true, met: false },
  ]);
  assert.deepEqual(told.outcome.tags, ["bills", "last"]);
  assert.equal(excepted.rules.find((one: any) => one.rule_id === bills.id).result, "excepted");
  assert.deepEqual((await acme.get("/inbox_rule/")).data, counted);
});

test("a message that is hidden, elsewhere or no message is not there", async () => {
  const [acme, them] = [await organization(), await organization()];
  const lead = await acme.lead();
  const note = await acme.note({ lead_id: lead.id, note: "Hello" });
  const theirs = await them.post("/activity/email/", { lead_id: (await them.lead()).id, status: "draft", subject: "Hi" });
  const mine = await acme.post("/activity/email/", { lead_id: lead.id, status: "draft", subject: "Hi" });
  const seller = await acme.memberWith([]);

  for (const id of [note.id, theirs.id, "acti_nothing"]) await acme.refused(404, "POST", "/inbox_rule/try/", { message_id: id });
  await seller.refused(404, "POST", "/inbox_rule/try/", { message_id: mine.id });
});
