// The presence of all members: who can be reached now. Members set only their own.
import { z } from "zod";
import { operation } from "../../core/operation.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import { lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { membership } from "./membership.ts";
import { user } from "./user.ts";

const presence = z.enum(["online", "offline"]);
const row = z.strictObject({
  user_id: z.string(),
  availability: presence,
  updated_at: z.iso.datetime().nullable().describe("When they last changed it."),
  active_calls: z.array(z.strictObject({ id: z.string(), lead_id: z.string().nullable(), method: z.string() })),
});

interface Presence {
  availability: "online" | "offline";
  availability_updated_at: string | null;
}

const shown = (user_id: string, { availability, availability_updated_at }: Presence): z.output<typeof row> => ({
  user_id,
  availability,
  updated_at: availability_updated_at,
  active_calls: [],
});

export const listAvailability = operation({
  name: "user.availability",
  method: "GET",
  path: "/user/availability/",
  doc: "Lists who of the members is online.",
  permission: "member",
  mcp: false,
  input: pageInput,
  output: pageOf(row),
  async run(ctx, input) {
    const members = ctx.directory.list(user).filter((one) => one.status === "active");
    const byName = members.toSorted((a, b) => a.name.localeCompare(b.name, "en") || (a.id < b.id ? -1 : 1));
    return page(
      byName.map((one) => shown(one.id, one)),
      input,
    );
  },
});

export const updateAvailability = operation({
  name: "user.set_availability",
  method: "PUT",
  path: "/user/availability/",
  doc: "Sets whether the caller is online.",
  permission: "member",
  mcp: false,
  input: { availability: presence },
  output: row,
  async run(ctx, { availability }) {
    const mine = await lockRecord(ctx, membership, ctx.actor.membership_id);
    if (mine.availability === availability) return shown(mine.user_id, mine);
    return shown(
      mine.user_id,
      store.update(ctx, membership, mine, { availability, availability_updated_at: ctx.now.toISOString() }),
    );
  },
});
