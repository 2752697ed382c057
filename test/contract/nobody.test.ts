// What the service does by itself is nobody's deed.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx } from "../../src/core/context.ts";
import { asSystem } from "../../src/records/acting.ts";
import { createRecord, deleteRecord, updateRecord } from "../../src/records/records.ts";
import { note } from "../../src/resources/activities/note.ts";
import { comment } from "../../src/resources/comments/comment.ts";
import { conversation } from "../../src/resources/conversations/conversation.ts";
import { task } from "../../src/resources/tasks/task.ts";
import { organization } from "../support/given.ts";

test("what the service does by itself names nobody who did it", async () => {
  const acme = await organization();
  const [{ id: lead_id }, { id: noteId }] = await Promise.all([acme.lead(), acme.note()]);
  const thread = await acme.post("/conversation/", { lead_id, channel: "email" });
  const first = await acme.post("/comment/", { object_id: noteId, body: "Hm" });
  await acme.post("/comment/", { thread_id: first.thread_id, body: "Agreed" });
  const byItself = <T>(work: (ctx: Ctx) => Promise<T>): Promise<T> =>
    asSystem(acme.service.app.core, acme.id, { id: "req_test", method: "POST", path: "/" }, work);

  await byItself((ctx) => updateRecord(ctx, note, noteId, { pinned: true }));
  await byItself((ctx) => updateRecord(ctx, conversation, thread.id, { is_read: true }));
  await byItself((ctx) => deleteRecord(ctx, conversation, thread.id));
  await assert.rejects(
    byItself((ctx) => createRecord(ctx, task, { lead_id })),
    { fields: { assigned_to: "is required where nobody asks" } },
  );
  // A comment is its author's. The service deletes it with the rules of the resource, as it does when it erases a person.
  await byItself(async (ctx) => {
    const before = await ctx.registry.verb(comment, "lock")(ctx, first.id);
    await ctx.registry.verb(comment, "delete")(ctx, before);
  });

  const pinned = await acme.get(`/activity/note/${noteId}/`);
  assert.deepEqual([pinned.pinned, pinned.pinned_by], [true, null]);
  const [removed] = (await acme.get(`/comment/?thread_id=${first.thread_id}&_order_by=date_created`)).data;
  assert.deepEqual([removed.id, removed.removed_by], [first.id, null]);
  await acme.refused(404, "GET", `/conversation/${thread.id}/`);
});
