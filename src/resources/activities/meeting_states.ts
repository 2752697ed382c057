// Meetings start and end with time. The stored state follows, with an event for each step.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { changedFields, emit } from "../../records/event.ts";
import { store } from "../../records/store.ts";
import { type MeetingState, meeting, stateAt } from "./meeting.ts";

type Meeting = Row<typeof meeting>;

/** The meeting in its present state. If it has both started and ended since the last write, both events are written. */
export function settled(ctx: Ctx, stored: Meeting): Meeting {
  const state = stateAt(ctx.now, stored);
  const began = stored.status === "upcoming" && state !== "upcoming" ? step(ctx, stored, "in-progress", "started") : stored;
  return began.status === "in-progress" && state === "completed" ? step(ctx, began, "completed", "completed") : began;
}

function step(ctx: Ctx, before: Meeting, status: MeetingState, action: string): Meeting {
  const after = store.update(ctx, meeting, before, { status }, undefined, null);
  emit(ctx, meeting, { action, before, after, changed: changedFields(meeting, before, after) });
  return after;
}
