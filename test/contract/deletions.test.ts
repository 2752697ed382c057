// A record that named a deleted record and stays shows the change: in its own event, its dates and its version.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Pointer } from "../../src/core/registry.ts";
import { buildRegistry } from "../../src/core/registry.ts";
import { kindOf, type Resource } from "../../src/core/resource.ts";
import { sql } from "../../src/db/sql.ts";
import { lockRecord } from "../../src/records/records.ts";
import { lockWhere } from "../../src/records/references.ts";
import { store } from "../../src/records/store.ts";
import { operations, silentResources } from "../../src/resources/index.ts";
import { organization, type Workspace } from "../support/given.ts";
import { sampleRecord, verbsOf } from "../support/samples.ts";

const registry = buildRegistry(operations, silentResources);

const clearing: Pointer[] = [...new Set(registry.resources.flatMap(({ name }) => registry.pointersTo(name)))].filter(
  ({ rule }) => rule.onDelete === "clear",
);

type Stored = { version: number; date_updated: string; updated_by: string } & Record<string, unknown>;

/** The kind that represents a shared table. */
const kinds: Record<string, string> = {
  "activity.response_to_id": "activity_channel_message",
  "activity.in_reply_to_id": "activity_email",
  "activity.thread_id": "activity_email",
  "activity.email_account_id": "activity_email",
  "activity.send_as_id": "activity_email",
  "activity.followup_sequence_id": "activity_email",
  activity: "activity_note",
  "bulk_action.template_id": "bulk_action_email",
};

/** Records that only the service itself makes. */
const made: Record<string, (acme: Workspace) => Promise<Record<string, unknown>>> = {
  inbox_prospect: async () => ({ channel: "email", name: "Ada", received_at: "2026-03-04T05:06:07.008Z" }),
  enrichment: async (acme) => ({ lead_id: (await acme.lead()).id, object_type: "lead", object_id: "lead_1" }),
  bulk_action_email: async () => ({ status: "paused" }),
  mailing_export: async () => ({ platform: "csv", status: "failed", match_count: 0 }),
  comment_thread: async (acme) => ({ object_id: (await acme.lead()).id, object_type: "lead", num_comments: 1 }),
  automation_run: async (acme) => ({ ...(await ofAutomation(acme)), status: "failed", trigger_type: "record.created" }),
  automation_version: async (acme) => ({
    ...(await ofAutomation(acme)),
    number: 7,
    trigger: {},
    filter: {},
    graph: {},
    settings: {},
    is_active: false,
    published_at: "2026-03-04T05:06:07.008Z",
  }),
};

const ofAutomation = async (acme: Workspace) => ({
  automation_id: (await sampleRecord(acme, registry.resource("automations")!)).id,
});

async function make(acme: Workspace, name: string): Promise<{ of: Resource; id: string }> {
  const of = registry.resource(name)!;
  const base = of.only ? registry.resources.find((one) => one.table === of.table && one.kinds)! : of;
  if (verbsOf(operations, of).create !== undefined) return { of: base, id: (await sampleRecord(acme, of)).id };
  const values = await made[name]!(acme);
  return { of: base, id: await acme.inside(async (ctx) => store.insert(ctx, of, values).id) };
}

async function remove(acme: Workspace, of: Resource, id: string): Promise<void> {
  const kind = await acme.inside(async (ctx) => kindOf(of, (await lockWhere(ctx, of, sql`t.id = ${id}`))[0]!));
  // Deleting a conversation only hides it. It is deleted with its lead.
  const { delete: own } = kind.name === "conversation" ? {} : verbsOf(operations, kind);
  if (own !== undefined) await acme.delete(`${kind.path}/${id}/`);
  else await acme.inside(async (ctx) => store.remove(ctx, of, await lockWhere(ctx, of, sql`t.id = ${id}`)));
}

describe("when what a record names is deleted,", () => {
  for (const { from, field, rule } of clearing) {
    const place = `${from.name}.${field}`;
    if (from.event === null) continue; // it has no events
    test(`${place} is null, with an event, a date and a version`, async () => {
      const acme = await organization();
      const target = await make(acme, rule.to === "activity" ? "activity_email" : rule.to);
      const { of, id } = await make(acme, kinds[place] ?? kinds[from.name] ?? from.name);
      const point = await acme.inside(async (ctx) => {
        const row = await lockRecord(ctx, { ...of, visible: undefined }, id);
        return store.update(ctx, kindOf(of, row), row, { [field]: target.id }) as unknown as Stored;
      });

      await remove(acme, target.of, target.id);

      const [now] = (await acme.inside((ctx) => lockWhere(ctx, of, sql`t.id = ${id}`))) as unknown as Stored[];
      const since = (await acme.events(id)).filter(({ date_created }) => date_created > point.date_updated);
      // Another event may say what follows from it, such as that a subscription failed.
      const told = since.filter(({ action }) => action === "updated");
      assert.equal(now![field], null);
      assert.equal(now!.version, point.version + 1);
      assert.ok(now!.date_updated > point.date_updated);
      assert.equal(now!.updated_by, acme.userId);
      assert.deepEqual(
        told.map(({ action, previous_data, data }) => [action, previous_data[field], data[field]]),
        [["updated", target.id, null]],
      );
      assert.deepEqual(told[0].changed_fields.toSorted(), Object.keys(told[0].previous_data).toSorted());
    });
  }
});

const told = async (acme: Workspace, id: string) =>
  (await acme.events(id)).map(({ event, changed_fields }) => [event, ...changed_fields.toSorted()].join(" "));

test("who loses several records at once tells it once, before they tell that they are gone", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const contact = await acme.contact({ lead_id: lead.id });
  const deal = await acme.opportunity({ lead_id: lead.id });
  const quote = await acme.post("/quote/", { lead_id: lead.id, contact_id: contact.id, opportunity_id: deal.id });

  await acme.delete(`/lead/${lead.id}/`);

  assert.deepEqual(await told(acme, quote.id), ["quote.created", "quote.updated contact_id lead_id opportunity_id"]);
  const { data } = await acme.get("/event/?event__in=quote.updated,contact.deleted,opportunity.deleted,lead.deleted");
  assert.deepEqual([data[0].event, data.at(-1).event, data.length], ["lead.deleted", "quote.updated", 4]);
});

test("what goes along tells that it was deleted, and what it named until then", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const contact = await acme.contact({ lead_id: lead.id });
  const deal = await acme.opportunity({ lead_id: lead.id, contact_id: contact.id });
  const note = await acme.note({ lead_id: lead.id, contact_id: contact.id, opportunity_id: deal.id });
  const task = await acme.task({ lead_id: lead.id, contact_id: contact.id });

  await acme.delete(`/lead/${lead.id}/`);

  for (const { id, opportunity_id } of [deal, note, task]) {
    const events = await acme.events(id);
    assert.deepEqual(
      events.map((one) => one.action),
      ["created", "deleted"],
    );
    assert.equal(events[1].previous_data.contact_id, contact.id);
    assert.equal(events[1].previous_data.opportunity_id, opportunity_id);
  }
});

test("a contact that goes leaves its deal with a new version and a new date", async () => {
  const acme = await organization();
  const contact = await acme.contact();
  const deal = await acme.opportunity({ lead_id: contact.lead_id, contact_id: contact.id });
  const note = await acme.note({ lead_id: contact.lead_id, contact_id: contact.id });

  await acme.delete(`/contact/${contact.id}/`);

  const now = await acme.get(`/opportunity/${deal.id}/`);
  assert.deepEqual([now.contact_id, now.contact_name], [null, null]);
  assert.ok(now.date_updated > deal.date_updated);
  assert.deepEqual(await told(acme, deal.id), ["opportunity.created", "opportunity.updated contact_id"]);
  assert.deepEqual(await told(acme, note.id), ["activity.note.created", "activity.note.updated contact_id"]);
  const [event] = (await acme.get("/event/?event=opportunity.updated")).data;
  assert.deepEqual(event.previous_data, { contact_id: contact.id });
  assert.equal(event.request_id, (await acme.get("/event/?event=contact.deleted")).data[0].request_id);
});
