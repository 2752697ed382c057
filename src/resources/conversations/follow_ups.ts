// Writes the events of a conversation that come in addition to `updated`.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { changedFields, emit } from "../../records/event.ts";
import { store } from "../../records/store.ts";
import { conversation, stateAt } from "./conversation.ts";

type Conversation = Row<typeof conversation>;

/**
 * The conversation in its present state. When its snooze has ended, it is reopened, with the event. A deleted conversation stays
 * snoozed.
 */
export function settled(ctx: Ctx, stored: Conversation): Conversation {
  if (stored.deleted_at !== null || stateAt(ctx.now, stored) === stored.status) return stored;
  const after = store.update(ctx, conversation, stored, { status: "open", snoozed_until: null });
  emit(ctx, conversation, { action: "reopened", before: stored, after, changed: changedFields(conversation, stored, after) });
  return after;
}

/** Writes the events for closing, reopening and assigning it. */
export function tellWhatFollows(ctx: Ctx, before: Conversation, after: Conversation): void {
  const changed = changedFields(conversation, before, after);
  for (const action of followUps(ctx, before, after)) emit(ctx, conversation, { action, before, after, changed });
}

function followUps(ctx: Ctx, before: Conversation, after: Conversation): string[] {
  const [was, is] = [stateAt(ctx.now, before), stateAt(ctx.now, after)];
  return [
    ...(is === "closed" && was !== "closed" ? ["closed"] : []),
    ...(is === "open" && was !== "open" ? ["reopened"] : []),
    ...(after.assigned_to !== null && after.assigned_to !== before.assigned_to ? ["assigned"] : []),
  ];
}
