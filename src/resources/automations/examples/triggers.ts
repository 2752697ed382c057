// Triggers.
import type { TriggerExample } from "./example.ts";

export const triggerExamples: Record<string, TriggerExample> = {
  "record.created": { config: { object_type: "contact" }, act: async (acme) => (await acme.contact()).id },
  "record.updated": {
    config: { object_type: "lead", fields: ["url"] },
    async act(acme) {
      const [one, other] = [await acme.lead(), await acme.lead()];
      await acme.put(`/lead/${other.id}/`, { industry: "Steel" });
      await acme.put(`/lead/${one.id}/`, { url: "https://example.com" });
      return one.id;
    },
  },
  "record.deleted": {
    config: { object_type: "lead" },
    async act(acme) {
      const { id } = await acme.lead();
      await acme.delete(`/lead/${id}/`);
      return id;
    },
  },
  "field.changed": {
    config: { object_type: "lead", field: "industry", from: ["Steel"], to: ["Software"] },
    async act(acme) {
      const [one, other] = [await acme.lead({ industry: "Steel" }), await acme.lead({ industry: "Wood" })];
      await acme.put(`/lead/${other.id}/`, { industry: "Software" });
      await acme.put(`/lead/${one.id}/`, { industry: "Software" });
      return one.id;
    },
  },
  "record.matches": {
    config: async (acme) => ({
      object_type: "opportunity",
      condition: {
        all: [
          { type: "field", ref: "record.value", op: "gte", value: 100 },
          { type: "status", status_type: "active" },
          { type: "owner", user_ids: [acme.userId] },
        ],
      },
    }),
    async act(acme) {
      const [one, other] = [await acme.opportunity({ value: 50 }), await acme.opportunity({ value: 200, status: "Lost" })];
      await acme.put(`/opportunity/${other.id}/`, { value: 300 });
      for (const value of [100, 200]) await acme.put(`/opportunity/${one.id}/`, { value, note: "Bigger" });
      return one.id;
    },
  },
  "status.changed": {
    config: { object_type: "opportunity", to_type: "won" },
    async act(acme) {
      const [one, other] = [await acme.opportunity(), await acme.opportunity()];
      await acme.put(`/opportunity/${other.id}/`, { status: "Lost" });
      await acme.put(`/opportunity/${one.id}/`, { status: "Won" });
      return one.id;
    },
  },
  "tag.changed": {
    config: { object_type: "lead", tag: "hot", change: "removed" },
    async act(acme) {
      const [one] = [await acme.lead({ tags: ["Hot", "b"] }), await acme.lead({ tags: ["hot"] })];
      await acme.put(`/lead/${one.id}/`, { tags: ["b"] });
      return one.id;
    },
  },
  "task.event": {
    config: { event: "completed", task_type: "call" },
    async act(acme) {
      const [one, other] = [await acme.task({ _type: "call" }), await acme.task()];
      for (const { id } of [other, one]) await acme.put(`/task/${id}/`, { is_complete: true });
      return one.id;
    },
  },
  "activity.logged": {
    config: { kinds: ["call"], direction: "incoming" },
    async act(acme) {
      const lead = await acme.lead();
      const call = (direction: string) =>
        acme.post("/activity/call/", { lead_id: lead.id, direction, status: "completed", phone: "+18004445555" });
      await call("outbound");
      return (await call("inbound")).id;
    },
  },
  manual: { config: {}, act: async (acme) => (await acme.lead()).id },
};
