// The verbs of conversations.
import { type Ctx, userOf } from "../../core/context.ts";
import { below, invalid } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { emit } from "../../records/event.ts";
import { findRecord, getRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { contact } from "../contacts/contact.ts";
import { folderOf } from "../inbox/inbox_folder.ts";
import { canBeAssigned } from "../tasks/assignee.ts";
import { conversation, stateAt } from "./conversation.ts";
import { settled, tellWhatFollows } from "./follow_ups.ts";
import { asParticipant } from "./participants.ts";
import { writeMessage } from "./post_message.ts";

type Conversation = Row<typeof conversation>;

export async function createConversation(ctx: Ctx, { message, ...given }: Create<typeof conversation>): Promise<Conversation> {
  const person = given.contact_id ? await contactAt(ctx, given.contact_id, given.lead_id) : null;
  const lead_id = given.lead_id ?? person?.lead_id;
  if (lead_id === undefined) throw invalid({ lead_id: "is required, or a contact_id" });
  checkPlace(ctx, given);

  const row = store.insert(ctx, conversation, {
    ...given,
    ...snoozing(ctx, given, { status: "open", snoozed_until: null }),
    lead_id,
    people: person === null ? [] : [asParticipant(person)],
  });
  if (row.assigned_to !== null) emit(ctx, conversation, { action: "assigned", after: row });
  if (!message) return row;
  await below("message", () => writeMessage(ctx, row, message, "message."));
  return getRecord(ctx, conversation, row.id);
}

export async function updateConversation(
  ctx: Ctx,
  stored: Conversation,
  patch: Patch<typeof conversation>,
): Promise<Conversation> {
  const before = settled(ctx, stored);
  if (patch.contact_id && patch.contact_id !== before.contact_id) await contactAt(ctx, patch.contact_id, before.lead_id);
  checkPlace(ctx, patch, before);

  const after = store.update(ctx, conversation, before, {
    ...patch,
    ...snoozing(ctx, patch, before),
    ...reading(patch, before),
  });
  tellWhatFollows(ctx, before, after);
  return after;
}

/** A deleted conversation is hidden and keeps its messages. `restore` shows it again. */
export async function deleteConversation(ctx: Ctx, before: Conversation): Promise<void> {
  const deletion = { deleted_at: ctx.now.toISOString(), deleted_by: userOf(ctx) };
  store.update(ctx, conversation, before, deletion, undefined, null);
  emit(ctx, conversation, { action: "deleted", before });
}

async function contactAt(ctx: Ctx, id: string, lead_id: string | undefined): Promise<Row<typeof contact>> {
  const person = await findRecord(ctx, contact, id);
  if (person === null) throw invalid({ contact_id: "does not exist" });
  if (lead_id !== undefined && person.lead_id !== lead_id) throw invalid({ contact_id: "belongs to another lead" });
  return person;
}

type Place = Partial<Pick<Conversation, "assigned_to" | "folder_id">>;

/** Stored values may be written back, even if the member has left since, or the folder belongs to somebody else. */
function checkPlace(ctx: Ctx, { assigned_to, folder_id }: Place, before: Place = {}): void {
  if (assigned_to && assigned_to !== before.assigned_to && !canBeAssigned(ctx.directory, assigned_to))
    throw invalid({ assigned_to: "is not an active member or a group" });
  if (folder_id !== undefined && folder_id !== before.folder_id && folderOf(ctx, folder_id) === undefined)
    throw invalid({ folder_id: "does not exist" });
}

type Snooze = Partial<Pick<Conversation, "status" | "snoozed_until">>;

/** A conversation is snoozed until a time, and has that time only while it is snoozed. */
function snoozing(ctx: Ctx, given: Snooze, before: Pick<Conversation, "status" | "snoozed_until">): Values<typeof conversation> {
  if (given.status === undefined && given.snoozed_until === undefined) return {};
  const status = given.status ?? stateAt(ctx.now, before);
  const snoozed_until = given.snoozed_until === undefined ? before.snoozed_until : given.snoozed_until;
  if (status !== "snoozed") {
    if (given.snoozed_until && given.snoozed_until !== before.snoozed_until)
      throw invalid({ snoozed_until: "can only be given with the status snoozed" });
    return { status, snoozed_until: null };
  }
  if (snoozed_until === null) throw invalid({ snoozed_until: "is required for the status snoozed" });
  if (Date.parse(snoozed_until) <= ctx.now.getTime()) throw invalid({ snoozed_until: "must be in the future" });
  return { status, snoozed_until };
}

/** Marking it as read means that nothing is unread. Marked as unread, its newest message is. */
function reading(
  { is_read }: Patch<typeof conversation>,
  { unread_count, message_count }: Conversation,
): Values<typeof conversation> {
  if (is_read === undefined) return {};
  return { unread_count: is_read ? 0 : Math.max(unread_count, Math.min(message_count, 1)) };
}
