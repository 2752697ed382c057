// The presence of all members: who can be reached now. Members set only their own.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import { lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { activeCallsOf, noteHeard, onlineAmong } from "../telephony/presence.ts";
import { membership } from "./membership.ts";
import { user } from "./user.ts";

const presence = z.enum(["online", "offline"]);
const row = z.strictObject({
  user_id: z.string(),
  availability: presence,
  updated_at: z.iso.datetime().nullable().describe("When they last changed it."),
  active_calls: z
    .array(z.strictObject({ id: z.string(), lead_id: z.string().nullable(), method: z.string() }))
    .describe("The calls that they are in or are making, as far as the caller may see them."),
});

interface Member {
  id: string;
  availability_updated_at: string | null;
}

/** Their rows, in the same order. */
async function shown(ctx: Ctx, members: readonly Member[]): Promise<z.output<typeof row>[]> {
  const ids = members.map(({ id }) => id);
  const [online, calls] = [
    new Set(await onlineAmong(ctx, ids)),
    Map.groupBy(await activeCallsOf(ctx, ids), (one) => one.user_id),
  ];
  return members.map(({ id, availability_updated_at }) => ({
    user_id: id,
    availability: online.has(id) ? "online" : "offline",
    updated_at: availability_updated_at,
    active_calls: (calls.get(id) ?? []).map((one) => ({ id: one.id, lead_id: one.lead_id, method: one.call_method })),
  }));
}

export const listAvailability = operation({
  name: "user.availability",
  method: "GET",
  path: "/user/availability/",
  doc: "Lists the presence of the members.",
  permission: "member",
  mcp: false,
  input: pageInput,
  output: pageOf(row),
  async run(ctx, input) {
    const members = ctx.directory.list(user).filter((one) => one.status === "active");
    const byName = members.toSorted((a, b) => a.name.localeCompare(b.name, "en") || (a.id < b.id ? -1 : 1));
    const { data, ...rest } = page(byName, input);
    return { ...rest, data: await shown(ctx, data) };
  },
});

export const updateAvailability = operation({
  name: "user.set_availability",
  method: "PUT",
  path: "/user/availability/",
  doc: "Sets whether the caller is online. Whoever is online repeats it every 60 seconds: after 90 seconds of silence they count as offline.",
  permission: "member",
  mcp: false,
  input: { availability: presence },
  output: row,
  async run(ctx, { availability }) {
    const mine = await lockRecord(ctx, membership, ctx.actor.membership_id);
    const [before] = await shown(ctx, [{ id: mine.user_id, availability_updated_at: mine.availability_updated_at }]);
    if (availability === "online") noteHeard(ctx, mine.user_id);
    if (before!.availability === availability && mine.availability === availability) return before!;

    const after = store.update(ctx, membership, mine, { availability, availability_updated_at: ctx.now.toISOString() });
    return { ...before!, availability, updated_at: after.availability_updated_at };
  },
});
