// Mail accounts, telephony, sequences, and what is done to many records at once. The services outside are servers of the tests.

import { mailchimp } from "../../support/mailing_platforms.ts";
import type { MailServer } from "../../support/smtp.ts";
import type { TwilioServer } from "../../support/twilio.ts";
import type { Records } from "./records.ts";
import type { Story } from "./story.ts";

export interface Outside {
  mail: MailServer;
  twilio: TwilioServer;
}

export async function outreach(story: Story, { lead, contact }: Records, { mail, twilio }: Outside): Promise<void> {
  await accounts(story, mail);
  await credentials(story);
  await sequences(story, contact);
  await many(story, { lead, contact });
  await telephony(story, contact, twilio);
}

async function accounts(story: Story, mail: MailServer): Promise<void> {
  await story.show("connected_account.authorize", "/connected_account/authorize/", undefined, { query: { _type: "google" } });
  const smtp = { ...mail.smtp, password: "secret" };
  await story.five(
    "connected_account",
    "/connected_account/",
    { email: "lucille@austero.example", smtp },
    { change: { signature: "<p>Lucille Austero</p>", is_default: true }, spare: { email: "old@austero.example" } },
  );
}

async function credentials(story: Story): Promise<void> {
  const server = await mailchimp("secret-key-us21").start();
  server.lists = [
    ["Visitors", ["michael@bluth.example"]],
    ["Exhibitors", ["michael@bluth.example"]],
  ];
  await story.show("credentials.update", "/credentials/mailchimp/", { api_key: "secret-key-us21", base_url: server.url });
  await story.show("credentials.sync", "/credentials/mailchimp/sync/", {});
  await story.work();
  await story.show("contact_list.copy_from_source", "/contact_list/copy_from_source/", { name: "Visitors", source: "mailchimp" });
  await story.show("contact_list.copy_from_named_source", "/contact_list/copy_mailchimp/", { name: "Exhibitors" });
  await story.show("credentials.list", "/credentials/", undefined, { query: { _limit: "2" } });
  await story.ws.put("/credentials/brevo/", { api_key: "secret-key-1234" });
  await story.show("credentials.delete", "/credentials/brevo/");
}

async function sequences(story: Story, contact: any): Promise<void> {
  const { ws } = story;
  const [template] = (await ws.get("/email_template/?name=Invitation")).data;
  const steps = [
    { step_type: "email", email_template_id: template.id },
    { step_type: "call", delay: 259_200, required: true, note: "Ask whether the invitation arrived" },
  ];
  const sequence = await story.five(
    "sequence",
    "/sequence/",
    { name: "Model home tour", timezone: "America/Los_Angeles", steps },
    { change: { description: "For builders who have not seen a model home." }, spare: { name: "Old tour" } },
  );
  const one = await story.show("sequence_subscription.create", "/sequence_subscription/", {
    sequence_id: sequence.id,
    contact_id: contact.id,
  });
  await story.show("sequence_subscription.list", "/sequence_subscription/", undefined, { query: { sequence_id: sequence.id } });
  await story.show("sequence_subscription.get", `/sequence_subscription/${one.id}/`);
  await story.show("sequence_subscription.update", `/sequence_subscription/${one.id}/`, { status: "paused" });
  await story.show("sequence_subscription.delete", `/sequence_subscription/${one.id}/`);
}

async function many(story: Story, { lead, contact }: Pick<Records, "lead" | "contact">): Promise<void> {
  const { ws } = story;
  const [lead_ids, contact_ids] = [[lead.id], [contact.id]];
  const edit = await story.show("bulk_action.edit", "/bulk_action/edit/", { type: "add_tag", tag: "fair", lead_ids });
  const gone = await ws.lead({ name: "Cornballer Inc." });
  await story.show("bulk_action.delete", "/bulk_action/delete/", { lead_ids: [gone.id] });
  const [template] = (await ws.get("/email_template/?name=Invitation")).data;
  await story.show("bulk_action.email", "/bulk_action/email/", {
    template_id: template.id,
    contact_ids,
    contact_preference: "contact",
  });
  await story.show("bulk_action.enrich", "/bulk_action/enrich/", { object_type: "lead", lead_ids });
  const [sequence] = (await ws.get("/sequence/?name=Model home tour")).data;
  const subscribe = { action_type: "subscribe", sequence_id: sequence.id, contact_ids, contact_preference: "contact" };
  const held = await story.show("bulk_action.sequence_subscription", "/bulk_action/sequence_subscription/", subscribe);
  await story.show("bulk_action.update", `/bulk_action/${held.id}/`, { action: "cancel" });
  await story.work();
  await story.show("bulk_action.list", "/bulk_action/", undefined, { query: { _limit: "2" } });
  await story.show("bulk_action.get", `/bulk_action/${edit.id}/`);
  await story.show("bulk_action_item.list", `/bulk_action/${edit.id}/items/`);
  await story.show("bulk_action.undo", `/bulk_action/${edit.id}/undo/`, {});
}

const [ours, theirs] = ["+12125551235", "+12125559877"];
const mp3 = Buffer.concat([Buffer.from("ID3\u0004\0\0\0\0\0\0"), Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(40)]);

async function telephony(story: Story, contact: any, twilio: TwilioServer): Promise<void> {
  const { ws } = story;
  await ws.put("/credentials/twilio/", twilio.credentials);
  twilio.own(ours);
  twilio.forSale.push({ number: "+12125551301" }, { number: "+12125551302" });
  await story.show("phone_number.available", "/phone_number/available/", undefined, {
    query: { country: "US", area_code: "212", _limit: "2" },
  });
  await story.five(
    "phone_number",
    "/phone_number/",
    { number: ours, label: "West coast" },
    { change: { label: "California" }, spare: { number: "+12125551303", type: "external" }, query: { _limit: "2" } },
  );
  await story.work();
  const dialer = await story.five(
    "dialer",
    "/dialer/",
    { name: "Fair visitors", lead_ids: [contact.lead_id] },
    { change: { name: "Fair visitors, May" }, spare: { name: "Old" } },
  );
  await story.show("dialer.next", `/dialer/${dialer.id}/next/`, {});
  await ws.put("/user/availability/", { availability: "online" });
  const call = await story.show("dialer.call", "/dialer/call/", { contact_id: contact.id, dialer_id: dialer.id });
  await story.work();
  const caller = await twilio.calls.picksUp(ws.service.url, twilio.calls.all.at(-1)!);
  await caller.answeredBy(theirs);
  const message = await ws.post("/file/", { name: "message.mp3", mime: "audio/mpeg", content_base64: mp3.toString("base64") });
  await story.show("call.voicemail_drop", `/activity/call/${call.id}/voicemail_drop/`, { file_id: message.id });
  const softphone = { api_key_sid: `SK${"0".repeat(32)}`, api_key_secret: "secret", application_sid: `AP${"0".repeat(32)}` };
  await ws.put("/credentials/twilio/", { ...twilio.credentials, ...softphone });
  await story.show("dialer.token", "/dialer/token/");
  const port = { phone_numbers: ["+12125551400"], authorized_name: "Lucille Austero", account_number: "12345" };
  const made = await ws.post("/port/close/", port);
  await story.show("port.list", "/port/");
  await story.show("port.get", `/port/${made.id}/`);
  await story.show("port.close", "/port/close/", { port_id: made.id, reason: "Staying with the present carrier" });
}
