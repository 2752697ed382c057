// Changes of a conversation that have their own events beside `updated`.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { changedFields, emit } from "../../records/event.ts";
import { conversation, stateAt } from "./conversation.ts";

type Conversation = Row<typeof conversation>;

/** Tells that it was closed, opened again or assigned. */
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
