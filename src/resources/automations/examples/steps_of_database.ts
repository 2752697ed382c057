// Steps that find and delete records, put them on lists, and create further kinds of record.
import assert from "node:assert/strict";
import { chain } from "../../../../test/support/automations.ts";
import { hasTag, type StepExample } from "./example.ts";

const tagged = (tag: string) => ["tag.change", { tag, change: "add" }] as [string, object];

export const databaseExamples: Record<string, StepExample> = {
  "record.find": {
    async graph(acme, { id, status_id }) {
      for (const text of ["Write", "Call"]) await acme.task({ lead_id: id, text });
      const mine = { type: "field", ref: "record.lead_id", op: "is", value: { $ref: "record.id" } };
      const calls = { all: [mine, { not: { type: "field", ref: "record.text", op: "is", value: "write" } }] };
      const same = {
        all: [
          { type: "status", status_id },
          { type: "owner", is_null: true },
          { type: "field", ref: "record.name", op: "in", value: [{ $ref: "record.name" }] },
          { type: "field", ref: "date_created", op: "within_last", value: { amount: 1, unit: "days" } },
          { type: "field", ref: "record.mrr", op: "between", value: [10, 11] },
        ],
      };
      const graph = chain(
        ["record.find", { object_type: "task", where: calls, order: "-date_created", limit: 5 }],
        ["record.find", { object_type: "lead", where: same, limit: 1 }],
        ["tag.change", { tag: { $template: "{{ steps.s1.output.count }} {{ steps.s1.output.first.text }}" }, change: "add" }],
      );
      graph.steps.s1.ports = { found: "s2", empty: null };
      graph.steps.s2.ports = { found: "s3", empty: null };
      return graph;
    },
    check: hasTag("1 Call"),
  },
  "record.delete": {
    graph: async (acme, { id }) => chain(["record.delete", { target: (await acme.task({ lead_id: id })).id }], tagged("gone")),
    async check(acme, lead, run) {
      assert.equal((await acme.get(`/task/?lead_id=${lead.id}`)).data.length, 0);
      await hasTag("gone")(acme, lead, run);
    },
  },
  "list.change": {
    async graph(acme) {
      const [on, off] = [await acme.post("/lead_list/", { name: "On" }), await acme.post("/lead_list/", { name: "Off" })];
      return chain(
        ["list.change", { list_id: on.id, change: "add" }],
        ["list.change", { list_id: on.id, change: "add" }],
        ["list.change", { list_id: off.id, change: "add" }],
        ["list.change", { list_id: off.id, change: "remove" }],
      );
    },
    async check(acme, lead, run) {
      const counts = (await acme.get("/lead_list/")).data.map((list: any) => [list.name, list.member_count]);
      assert.deepEqual(counts, [
        ["Off", 0],
        ["On", 1],
      ]);
      assert.deepEqual(
        run.steps.map((step: any) => step.output.changed),
        [true, false, true, true],
      );
      assert.equal(run.steps[0].output.id, lead.id);
    },
  },
  "custom_activity.create": {
    async graph(acme) {
      const type = await acme.post("/custom_activity/", { name: "Visit" });
      return chain(["custom_activity.create", { custom_activity_type_id: type.id, status: "draft" }]);
    },
    check: async (acme, lead) => assert.equal((await acme.get(`/activity/custom/?lead_id=${lead.id}`)).data[0].status, "draft"),
  },
  "project.create": {
    graph: () => chain(["project.create", { name: { $template: "For {{ record.name }}" }, fields: { phase: "Kick-off" } }]),
    async check(acme, lead) {
      const [made] = (await acme.get(`/project/?lead_id=${lead.id}`)).data;
      assert.deepEqual([made.name, made.phase, made.owner_id], [`For ${lead.name}`, "Kick-off", acme.userId]);
    },
  },
  "quote.create": {
    async graph(acme, { id }) {
      const deal = await acme.opportunity({ lead_id: id });
      return chain(["quote.create", { opportunity_id: deal.id, fields: { title: "Offer" } }]);
    },
    async check(acme, lead) {
      const [made] = (await acme.get(`/quote/?lead_id=${lead.id}`)).data;
      assert.deepEqual([made.title, made.status, made.opportunity_id !== null], ["Offer", "draft", true]);
    },
  },
  "file.attach": {
    async graph(acme, { id }) {
      const upload = (more: object) => acme.post("/file/", { content_base64: "SGVsbG8=", name: "offer.txt", ...more });
      const [own, shared] = [await upload({ lead_id: id }), await upload({})];
      return chain(
        ["note.create", { note: "Offer" }],
        ["file.attach", { target: { $ref: "steps.s1.output.id" }, file_id: shared.id }],
        ["file.attach", { target: { $ref: "steps.s1.output.id" }, file_id: shared.id }],
        ["file.attach", { file_id: own.id, slot: "email" }],
      );
    },
    async check(acme, lead, run) {
      assert.equal(run.status, "completed", JSON.stringify(run.error));
      const [note] = (await acme.get(`/activity/note/?lead_id=${lead.id}`)).data;
      const names = note.attachments.map((one: any) => one.filename);
      const slots = (await acme.get(`/file/?lead_id=${lead.id}`)).data.map((one: any) => one.outreach_channel);
      assert.deepEqual([names, slots], [["offer.txt"], ["email"]]);
    },
  },
  "webhook.emit": {
    graph: () => chain(["webhook.emit", { event_name: "order_ready", payload: { name: { $ref: "record.name" } } }]),
    async check(acme, lead) {
      const [told, ...more] = (await acme.get("/event/?event=custom.*")).data;
      assert.deepEqual([told.event, told.object_id, told.data, more], ["custom.order_ready", lead.id, { name: lead.name }, []]);
      assert.equal((await acme.get("/event/?event=custom.order_ready")).data.length, 1);
    },
  },
};
