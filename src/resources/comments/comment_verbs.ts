// The verbs of comments: they keep the thread up to date and notify people.
import { type Ctx, userOf } from "../../core/context.ts";
import { invalid, notFound, Problem } from "../../core/errors.ts";
import type { Create, Patch, Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { emit } from "../../records/event.ts";
import { findAnyRecord, findRecord } from "../../records/records.ts";
import { lockToChange, lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { bothForms } from "../activities/both_forms.ts";
import { excerpt, nameOfCaller, notify, withdrawNotices } from "../notifications/notify.ts";
import { comment } from "./comment.ts";
import { commentThread } from "./comment_thread.ts";

type Comment = Row<typeof comment>;
type Thread = Row<typeof commentThread>;

export async function createComment(ctx: Ctx, given: Create<typeof comment>): Promise<Comment> {
  const words = await wordsOf(ctx, given.body);
  const about = given.thread_id === undefined ? await objectOf(ctx, given.object_id) : await threadOf(ctx, given);
  const before = about.thread;
  const thread = joinThread(ctx, about);
  const { lead_id, object_id, object_type } = thread;

  const row = store.insert(ctx, comment, {
    ...words,
    date_created: given.date_created,
    lead_id,
    object_id,
    object_type,
    thread_id: thread.id,
  });
  tell(ctx, row, row.mentions, before?.participating ?? []);
  return row;
}

export async function updateComment(ctx: Ctx, before: Comment, patch: Patch<typeof comment>): Promise<Comment> {
  if (before.created_by !== ctx.actor.user_id) throw new Problem(403, "Only its author may change a comment.");
  if (before.removed_at !== null) throw invalid({ body: "cannot be changed: the comment was removed" });
  if (patch.body === undefined) return before;

  const after = store.update(ctx, comment, before, await wordsOf(ctx, patch.body));
  tell(
    ctx,
    after,
    after.mentions.filter((id) => !before.mentions.includes(id)),
  );
  return after;
}

/** The text is removed and the place stays. The thread is deleted with its last comment. */
export async function deleteComment(ctx: Ctx, before: Comment): Promise<void> {
  if (before.removed_at !== null) throw notFound();
  const [thread] = await lockWhere(ctx, commentThread, sql`t.id = ${before.thread_id}`);
  if (thread!.num_comments === 1) return store.remove(ctx, commentThread, [thread!]);

  const removed = { removed_at: ctx.now.toISOString(), removed_by: userOf(ctx) };
  store.update(ctx, comment, before, { body: null, mentions: [], ...removed }, undefined, null);
  emit(ctx, comment, { action: "deleted", before });
  store.update(ctx, commentThread, thread!, { num_comments: thread!.num_comments - 1 });
  withdrawNotices(ctx, before.id);
}

// --- text ---

async function wordsOf(ctx: Ctx, body: string | null | undefined): Promise<Pick<Comment, "body" | "mentions">> {
  if (body === undefined) throw invalid({ body: "is required" });
  const forms = await bothForms(ctx, { html: body });
  if (!forms?.html) throw invalid({ body: "must not be empty" });
  return { body: forms.html, mentions: forms.mentions };
}

// --- threads ---

/** The record that a comment is about, and its existing thread, locked. */
interface About extends Pick<Thread, "lead_id" | "object_id" | "object_type"> {
  thread: Thread | null;
}

/** The record is locked. When two people write its first comment at once, the second finds the thread of the first. */
async function objectOf(ctx: Ctx, object_id: string | undefined): Promise<About> {
  if (object_id === undefined) throw invalid({ object_id: "is required, or thread_id" });
  const found = await findAnyRecord(ctx, object_id);
  if (found === null) throw invalid({ object_id: "does not exist" });
  const { of, kind } = found;
  if (of.commentable !== true) throw invalid({ object_id: "cannot be commented on" });

  const [row] = await lockToChange(ctx, of, sql`t.id = ${object_id}`);
  if (row === undefined) throw invalid({ object_id: "does not exist" });
  const [thread] = await lockWhere(ctx, commentThread, sql`t.object_id = ${object_id}`);
  const object_type = kind.event?.(row) ?? kind.name;
  return { lead_id: leadOf(of, row), object_id, object_type, thread: thread ?? null };
}

const leadOf = (of: Resource, row: Row<Resource>): string | null =>
  of.eventLead ? of.eventLead(row) : ((row as { lead_id?: string | null }).lead_id ?? null);

async function threadOf(ctx: Ctx, { thread_id, object_id }: Create<typeof comment>): Promise<About> {
  const found = await findRecord(ctx, commentThread, thread_id!);
  const [thread] = found === null ? [] : await lockWhere(ctx, commentThread, sql`t.id = ${found.id}`);
  if (thread === undefined) throw invalid({ thread_id: "does not exist" });
  if (object_id !== undefined && object_id !== thread.object_id) throw invalid({ thread_id: "is about another record" });
  return { ...thread, thread };
}

function joinThread(ctx: Ctx, { thread, lead_id, object_id, object_type }: About): Thread {
  const me = ctx.actor.user_id;
  if (thread === null)
    return store.insert(ctx, commentThread, { lead_id, object_id, object_type, num_comments: 1, participating: [me] });
  const participating = [...new Set([...thread.participating, me])];
  return store.update(ctx, commentThread, thread, { num_comments: thread.num_comments + 1, participating });
}

// --- notifications ---

function tell(ctx: Ctx, row: Comment, mentioned: readonly string[], participating: readonly string[] = []): void {
  const { id, thread_id, lead_id, object_type, object_id } = row;
  const about = { object_type: "comment", object_id: id, lead_id, body: excerpt(row.body) };
  const data = { thread_id, object_type, object_id };
  const told = notify(ctx, mentioned, {
    ...about,
    type: "mention",
    title: `${nameOfCaller(ctx)} mentioned you in a comment`,
    data,
  });
  const others = participating.filter((user) => !told.has(user));
  notify(ctx, others, { ...about, type: "comment", title: `${nameOfCaller(ctx)} commented on what you commented on`, data });
}
