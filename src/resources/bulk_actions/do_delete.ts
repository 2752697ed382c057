// Deletes the items of a bulk action. Each item keeps what it was and what went with it, until it cannot be undone any more.
import type { Permission } from "../../core/permissions.ts";
import { kindOf } from "../../core/resource.ts";
import { keepBytes, keptMost } from "../../records/change_sets.ts";
import { checkOwner } from "../../records/records.ts";
import { noteRemovals } from "../../records/removal_notes.ts";
import { type BulkAction, type Doing, type Done, each, gone, lockItems } from "./doing.ts";

/** The names of kinds of activities on the wire, in this place, and inside. */
const names: Readonly<Record<string, string>> = { call: "activity_call", custom_activity: "activity_custom_activity" };

export const deletedKind = ({ bulk_object_type }: Partial<BulkAction>): string =>
  names[bulk_object_type ?? "lead"] ?? bulk_object_type ?? "lead";

export const deleting: Doing = {
  permission: "bulk_delete",
  of: (ctx, action) => ctx.registry.resource(deletedKind(action))!,
  needs: (ctx, action) => ctx.registry.operation(`${deletedKind(action)}.delete`)!.permission as Permission | "member",
  async take(ctx, action, items) {
    const of = this.of(ctx, action);
    const rows = await lockItems(ctx, of, items);
    return each(ctx, items, async (own, { object_id }): Promise<Done> => {
      const before = rows.get(object_id);
      if (before === undefined) return gone;
      checkOwner(own, of, before, "delete");
      const removal = noteRemovals(own);
      await own.registry.verb(kindOf(of, before), "delete")(own, before);
      keepBytes(own, removal);
      const isSmall = JSON.stringify(removal).length <= keptMost;
      return isSmall
        ? { status: "succeeded", kept: removal }
        : { status: "succeeded", error: "has more than can be kept for an undo" };
    });
  },
};
