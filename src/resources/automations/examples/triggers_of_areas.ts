// Triggers that tell of what happens in the other areas: lists, messages, sequences, quotes, files.
import { chain, published } from "../../../../test/support/automations.ts";
import type { Workspace } from "../../../../test/support/given.ts";
import { lockRecord } from "../../../records/records.ts";
import { email } from "../../activities/email.ts";
import { type Engagement, engaged } from "../../activities/engagement.ts";
import { receiveFromStranger } from "../../inbox/receive.ts";
import type { TriggerExample } from "./example.ts";

const numberOf = (acme: Workspace, number: string): Promise<any> => acme.post("/phone_number/", { number });

const text = (acme: Workspace, body: object): Promise<any> =>
  acme.post("/activity/sms/", { status: "inbox", text: "Hi", remote_phone: "+18004445555", ...body });

/** Opens a mail as its recipient, or as a program. */
const open = (acme: Workspace, id: string, is_machine: boolean): Promise<void> =>
  acme.inside(async (ctx) => {
    const at = ctx.now.toISOString();
    const one: Engagement = { kind: "open", at, address: "a@example.com", url: "", ip_address: "", user_agent: "", is_machine };
    engaged(ctx, await lockRecord(ctx, email, id), [one], true);
  });

const prospect = (acme: Workspace, from: string): Promise<any> =>
  acme.inside((ctx) =>
    receiveFromStranger(ctx, {
      channel: "email",
      name: from,
      email: `${from}@bolt.io`,
      phone: null,
      subject: "Your offer",
      body_text: "Is it still open?",
      received_at: ctx.now.toISOString(),
      message: { to: ["sales@acme.io"] },
    }),
  );

const calling = (acme: Workspace): Promise<any> => acme.post("/sequence/", { name: "Calls", steps: [{ step_type: "call" }] });

export const areaTriggerExamples: Record<string, TriggerExample> = {
  "list.membership": {
    config: async (acme) => ({ list_id: (await acme.post("/contact_list/", { name: "Fair" })).id, change: "removed" }),
    async act(acme, { trigger }) {
      const [one, other] = [await acme.contact(), await acme.contact()];
      const list = `/contact_list/${trigger.config.list_id}/members/`;
      await acme.post(list, { contact_ids: [one.id, other.id] });
      await acme.delete(`${list}${one.id}/`);
      return one.id;
    },
  },
  "email.engagement": {
    config: { event: "opened", min_count: 2 },
    async act(acme) {
      const [{ id: lead_id }, sent] = [await acme.lead(), { status: "sent", to: ["a@example.com"] }];
      const [one, other] = [
        await acme.post("/activity/email/", { lead_id, ...sent }),
        await acme.post("/activity/email/", { lead_id, ...sent }),
      ];
      for (const isMachine of [false, true]) await open(acme, other.id, isMachine);
      for (const isMachine of [false, false, false]) await open(acme, one.id, isMachine);
      return one.id;
    },
  },
  "sms.received": {
    config: async (acme) => ({ number_id: (await numberOf(acme, "+12125551234")).id }),
    async act(acme) {
      const { id: lead_id } = await acme.lead();
      await text(acme, { lead_id, local_phone: "+12125559999" });
      return (await text(acme, { lead_id, local_phone: "+12125551234" })).id;
    },
  },
  "call.completed": {
    config: { direction: "incoming", outcome: ["Interested"], min_seconds: 60 },
    async act(acme) {
      const { id: lead_id } = await acme.lead();
      const call = (body: object) =>
        acme.post("/activity/call/", { lead_id, direction: "inbound", outcome: "interested", duration: 60, ...body });
      for (const other of [{ direction: "outbound" }, { outcome: "Busy" }, { duration: 59 }]) await call(other);
      return (await call({})).id;
    },
  },
  "meeting.event": {
    config: { event: "canceled" },
    async act(acme) {
      const { id: lead_id } = await acme.lead();
      const starts_at = new Date(Date.now() + 86_400_000).toISOString();
      const { id } = await acme.post("/activity/meeting/", { lead_id, title: "Demo", starts_at });
      await acme.put(`/activity/meeting/${id}/`, { status: "canceled" });
      return id;
    },
  },
  "conversation.message": {
    config: { channel: ["sms"], direction: "incoming", first_only: true },
    async act(acme) {
      const { id: lead_id } = await acme.lead();
      const [one, other] = [
        await acme.post("/conversation/", { lead_id, channel: "sms" }),
        await acme.post("/conversation/", { lead_id, channel: "chat" }),
      ];
      for (const { id } of [other, one, one]) await text(acme, { conversation_id: id });
      return one.id;
    },
  },
  "inbox.prospect": {
    config: { event: "converted" },
    async act(acme) {
      const [one] = [await prospect(acme, "ann"), await prospect(acme, "bob")];
      await acme.post(`/inbox_prospect/${one.id}/convert/`, {});
      return one.id;
    },
  },
  "sequence.event": {
    config: async (acme) => ({ sequence_id: (await calling(acme)).id, event: "subscribed" }),
    async act(acme, { trigger }) {
      const [one, other] = [await acme.contact(), await acme.contact()];
      await acme.post("/sequence_subscription/", { sequence_id: (await calling(acme)).id, contact_id: other.id });
      await acme.post("/sequence_subscription/", { sequence_id: trigger.config.sequence_id, contact_id: one.id });
      return one.id;
    },
  },
  "automation.event": {
    async config(acme) {
      const graph = chain(["set.vars", { values: { done: true } }]);
      const { id } = await published(acme, graph, { trigger: { type: "manual", config: {} } });
      return { automation_id: id, event: "completed" };
    },
    async act(acme, { trigger }) {
      const { id } = await acme.contact();
      await acme.post(`/automations/${trigger.config.automation_id}/run/`, { record_id: id });
      return id;
    },
  },
  "quote.event": {
    config: { event: "sent" },
    async act(acme) {
      const opportunity = await acme.opportunity();
      const quote = () =>
        acme.post("/quote/", { opportunity_id: opportunity.id, line_items: [{ name: "Hours", unit_price: 100, quantity: 1 }] });
      const [one] = [await quote(), await quote()];
      await acme.put(`/quote/${one.id}/`, { status: "open" });
      return one.id;
    },
  },
  "project.event": {
    config: { event: "completed" },
    async act(acme) {
      const [one, other] = [await acme.post("/project/", { name: "A" }), await acme.post("/project/", { name: "B" })];
      await acme.put(`/project/${other.id}/`, { status: "canceled" });
      await acme.put(`/project/${one.id}/`, { status: "completed" });
      return one.id;
    },
  },
  "file.event": {
    config: async (acme) => ({ event: "deleted", subtype_id: (await acme.post("/file_subtype/", { label: "Offer" })).id }),
    async act(acme) {
      const file = (body: object) => acme.post("/file/", { name: "a.txt", content_base64: btoa("a"), ...body });
      const [one, other] = [await file({ subtype: "offer" }), await file({})];
      for (const { id } of [other, one]) await acme.delete(`/file/${id}/`);
      return one.id;
    },
  },
  "dialer.done": {
    config: async (acme) => ({ dialer_id: (await acme.post("/dialer/", { lead_ids: [(await acme.lead()).id] })).id }),
    async act(acme, { trigger }) {
      const other = await acme.post("/dialer/", { lead_ids: [(await acme.lead()).id] });
      for (const id of [other.id, trigger.config.dialer_id]) await acme.put(`/dialer/${id}/`, { status: "done" });
      return trigger.config.dialer_id;
    },
  },
  "import.done": {
    config: { result: "done" },
    async act(acme) {
      const [one] = [
        await acme.post("/import/", { csv: "Company\nAcme" }),
        await acme.post("/import/", { csv: "Company\nBolt" }),
      ];
      await acme.put(`/import/${one.id}/`, { mapping: { Company: "name" } });
      return one.id;
    },
  },
  "enrichment.done": {
    config: { result: "no_match" },
    async act(acme) {
      const [one, other] = [await acme.contact(), await acme.contact({ phones: [{ phone: "+12125551234" }] })];
      for (const { id } of [other, one]) await acme.post(`/contact/${id}/enrich/`, {});
      return one.id;
    },
  },
  "custom_object.event": {
    config: async (acme) => ({
      custom_object_type_id: (await acme.post("/custom_object_type/", { name: "Car" })).id,
      event: "created",
    }),
    async act(acme, { trigger }) {
      const { id: lead_id } = await acme.lead();
      const object = (custom_object_type_id: string) =>
        acme.post("/custom_object/", { lead_id, custom_object_type_id, name: "One" });
      await object((await acme.post("/custom_object_type/", { name: "Boat" })).id);
      return (await object(trigger.config.custom_object_type_id)).id;
    },
  },
};
