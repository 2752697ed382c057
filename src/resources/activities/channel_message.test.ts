import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const logged = async (acme: Workspace, body: object = {}) =>
  acme.post("/activity/channel_message/", { lead_id: (await acme.lead()).id, channel: "whatsapp", text: "Hello", ...body });

test("a message of another system is logged as sent, or as received when it comes in", async () => {
  const acme = await organization();
  const person = await acme.contact({ phones: [{ phone: "+18004445555" }] });

  const sent = await logged(acme);
  const received = await acme.post("/activity/channel_message/", {
    channel: "whatsapp",
    direction: "incoming",
    remote_phone: "+18004445555",
    text: "Hi",
  });

  assert.deepEqual([sent.status, sent.direction, received.status, received.direction], ["sent", "outgoing", "inbox", "incoming"]);
  assert.ok(sent.date_sent);
  assert.equal(received.contact_id, person.id);
  assert.deepEqual(
    (await acme.events(sent.id)).map((event) => event.event),
    ["activity.channel_message.created", "activity.channel_message.sent"],
  );
  assert.deepEqual(await acme.get(`/activity/channel_message/${sent.id}/`), sent);
});

test("it has a channel and says something", async () => {
  const acme = await organization();
  const lead = await acme.lead();

  await acme.refused(400, "POST", "/activity/channel_message/", { lead_id: lead.id, text: "Hi" }, "channel");
  await acme.refused(400, "POST", "/activity/channel_message/", { lead_id: lead.id, text: "Hi", channel: "pigeon" }, "channel");
  await acme.refused(400, "POST", "/activity/channel_message/", { lead_id: lead.id, channel: "slack" }, "text");
});

test("markdown says the same in plain text and in rich text", async () => {
  const acme = await organization();

  const message = await logged(acme, {
    text: "ignored",
    message_markdown: "**Hello** _Bob_, see [our page](https://a.example/x) & `a*b*c`\n- one\n- two\n1 < 2 * 3 * 4",
  });

  assert.equal(
    message.message_html,
    '<body><p><strong>Hello</strong> <em>Bob</em>, see <a href="https://a.example/x">our page</a> &amp; <code>a*b*c</code></p><ul><li>one</li><li>two</li></ul><p>1 &lt; 2 * 3 * 4</p></body>',
  );
  assert.equal(message.text, "Hello Bob, see our page & a*b*c\none\ntwo\n1 < 2 * 3 * 4");
});

test("no two messages of a channel have the same id there", async () => {
  const acme = await organization();
  const first = await logged(acme, { external_message_id: "wamid.1" });

  await logged(acme, { external_message_id: "wamid.1", channel: "telegram" });
  await logged(acme, { external_message_id: "wamid.2" });

  const again = { lead_id: first.lead_id, channel: "whatsapp", text: "Hello", external_message_id: "wamid.1" };
  await acme.refused(400, "POST", "/activity/channel_message/", again, "external_message_id");
  const found = await acme.get("/activity/channel_message/?channel=whatsapp&external_message_id=wamid.1");
  assert.deepEqual(
    found.data.map((one: any) => one.id),
    [first.id],
  );
});

test("a draft can be edited, what was sent cannot", async () => {
  const acme = await organization();
  const draft = await logged(acme, { status: "draft" });
  const sent = await logged(acme);

  const edited = await acme.put(`/activity/channel_message/${draft.id}/`, { text: "Better" });

  assert.equal(edited.message_html, "<body>Better</body>");
  await acme.refused(400, "PUT", `/activity/channel_message/${sent.id}/`, { text: "Worse" }, "text");
  await acme.refused(400, "PUT", `/activity/channel_message/${draft.id}/`, { text: null }, "text");
});

test("it answers an activity of its lead, and is attached to up to 25 MB", async () => {
  const acme = await organization();
  const first = await logged(acme);
  const elsewhere = await logged(acme);
  const answer = { lead_id: first.lead_id, channel: "whatsapp", text: "Yes" };

  const second = await acme.post("/activity/channel_message/", { ...answer, response_to_id: first.id });

  assert.equal(second.response_to_id, first.id);
  await acme.refused(400, "POST", "/activity/channel_message/", { ...answer, response_to_id: elsewhere.id }, "response_to_id");
  await acme.refused(400, "POST", "/activity/channel_message/", { ...answer, response_to_id: "acti_nothing" }, "response_to_id");
  const large = { url: "https://files.example/film", size: 13_000_000 };
  await acme.refused(400, "POST", "/activity/channel_message/", { ...answer, attachments: [large, large] }, "attachments");
  await acme.delete(`/activity/channel_message/${first.id}/`);
  assert.equal((await acme.get(`/activity/channel_message/${second.id}/`)).response_to_id, null);
});
