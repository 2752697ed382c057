// A request about many records sends as many statements as one about few.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Statement } from "../../src/db/database.ts";
import { organization, type Workspace } from "../support/given.ts";

const few = 3;
const many = 90;

interface Sent {
  statements: number;
  /** How many of them were waited for. */
  reads: number;
}

/** The statements that transactions of this organization send during `act`. */
async function sentBy(ws: Workspace, act: () => Promise<unknown>): Promise<Sent> {
  const { db } = ws.service.app.core;
  const { transaction } = db;
  const sent: Sent = { statements: 0, reads: 0 };
  db.transaction = (organizationId, run) =>
    transaction(organizationId, (tx) => {
      // When its key was last used is written every few seconds, whatever the requests are.
      const isAct = ({ name }: Statement) => organizationId === ws.id && name !== "auth.last_use";
      const heard = (statement: Statement) => (isAct(statement) && sent.statements++, statement);
      const waited = (statement: Statement) => (isAct(statement) && sent.reads++, heard(statement));
      return run({ ...tx, write: (one) => tx.write(heard(one)), read: (one) => tx.read(waited(one)) });
    });
  try {
    await act();
  } finally {
    db.transaction = transaction;
  }
  return sent;
}

const statementsOf = async (ws: Workspace, act: () => Promise<unknown>) => (await sentBy(ws, act)).statements;

/** A lead with this many notes about its contact. */
async function leadWith(ws: Workspace, notes: number): Promise<{ id: string; contact_id: string; ids: string[] }> {
  const { id } = await ws.lead();
  const contact_id = (await ws.contact({ lead_id: id })).id;
  const ids: string[] = [];
  for (let i = 0; i < notes; i++) ids.push((await ws.note({ lead_id: id, contact_id })).id);
  return { id, contact_id, ids };
}

for (const [name, action, prepare] of [
  [
    "merging a lead",
    "updated",
    async (ws, { id }) => {
      const destination = (await ws.lead()).id;
      return () => ws.post("/lead/merge/", { source: id, destination });
    },
  ],
  [
    "deleting a lead",
    "deleted",
    async (ws, { id }) =>
      () =>
        ws.delete(`/lead/${id}/`),
  ],
  [
    "merging a contact",
    "updated",
    async (ws, { contact_id }) => {
      const destination = (await ws.contact()).id;
      return () => ws.post("/contact/merge/", { source: contact_id, destination });
    },
  ],
] as [string, string, (ws: Workspace, lead: { id: string; contact_id: string }) => Promise<() => Promise<unknown>>][])
  test(`${name} with many activities takes no more statements than with few, and each of them has its event`, async () => {
    const acme = await organization();
    const counts = [];
    for (const size of [few, many]) {
      const lead = await leadWith(acme, size);
      const act = await prepare(acme, lead);

      counts.push(await statementsOf(acme, act));

      for (const id of lead.ids.slice(-3))
        assert.deepEqual(
          (await acme.events(id)).map((event) => event.action),
          ["created", action],
        );
      const told = await acme.all(`/event/?event=activity.note.${action}`);
      assert.ok(lead.ids.every((id) => told.some((event) => event.object_id === id)));
    }

    assert.equal(counts[1], counts[0]);
  });

test("deleting a lead waits for what hangs off it, and not for each kind of record that might", async () => {
  const acme = await organization();
  const lead = await acme.lead();

  const { reads } = await sentBy(acme, () => acme.delete(`/lead/${lead.id}/`));

  // The shared lead, records that refer to it, its history, and records that refer to those.
  assert.equal(reads, 5);
});

test("changing many tasks takes no more statements than changing few, and leaves what changing each of them would", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const counts = [];
  for (const size of [few, many]) {
    const lead_id = (await acme.lead()).id;
    const ids: string[] = [];
    for (let i = 0; i < size; i++) ids.push((await bob.task({ lead_id, text: `Call ${i}`, assigned_to: bob.userId })).id);
    const change = (body: object) =>
      statementsOf(acme, () => acme.put("/task/", { _params: { id__in: ids.join(",") }, ...body }));

    counts.push([
      await change({ is_complete: true, priority: "high" }),
      await change({ is_complete: false }),
      await change({ assigned_to: acme.userId }),
    ]);

    const actions = (await acme.events(ids.at(-1)!)).map((event) => event.action);
    assert.deepEqual(actions, ["created", "updated", "completed", "updated", "updated"]);
    const traces = (await acme.all(`/event/?event=activity.task_completed.*&lead_id=${lead_id}`)).map((event) => event.action);
    assert.deepEqual([traces.filter((one) => one === "created").length, traces.length], [size, 2 * size]);
    assert.equal((await bob.all("/notification/?type=task_completed")).filter((one) => ids.includes(one.object_id)).length, size);
    const [last] = (await acme.get(`/task/?id__in=${ids.at(-1)}`)).data;
    assert.deepEqual([last.is_complete, last.date_completed, last.completed_by, last.priority], [false, null, null, "high"]);
    assert.equal(last.assigned_to, acme.userId);
  }

  assert.deepEqual(counts[1], counts[0]);
});
