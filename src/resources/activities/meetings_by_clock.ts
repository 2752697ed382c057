// Stores that meetings have begun and ended. Reads show the right state without it; the events come from here.
import { meetingsDue } from "../../auth/unscoped.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { asService } from "../../records/public_route.ts";
import { lockWhere } from "../../records/references.ts";
import { newId } from "../../values/id.ts";
import { meeting } from "./meeting.ts";
import { settled } from "./meeting_states.ts";

/** Several processes may do this at once: each meeting is locked, and looked at again. */
export async function followMeetings(core: Core): Promise<void> {
  for (const { organization_id, id, by } of await meetingsDue(core.db, core.clock())) {
    const request = { id: newId("req"), method: "", path: "" };
    await asService(core, organization_id, by, request, async (ctx) => {
      for (const found of await lockWhere(ctx, meeting, sql`t.id = ${id}`)) settled(ctx, found);
    });
  }
}
