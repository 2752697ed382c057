// Undoes the items of an edit or a deletion: each is as it was before, unless somebody has changed it since.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { kindOf, type Resource } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import type { Removal } from "../../records/removal_notes.ts";
import { same } from "../../values/same.ts";
import { bringBack } from "./bring_back.ts";
import { deleting } from "./do_delete.ts";
import { change, editing, picked } from "./do_edit.ts";
import { type BulkAction, type Doing, type Done, each, gone, type Item, lockItems } from "./doing.ts";

/** What is undone was an edit or a deletion, with the parameters that an undo has taken over. */
const undone = ({ bulk_object_type }: BulkAction): Doing => (bulk_object_type === null ? editing : deleting);

export const undoing: Doing = {
  permission: "member",
  of: (ctx, action) => undone(action).of(ctx, action),
  needs: (_ctx, action) => undone(action).permission,
  async take(ctx, action, items) {
    ctx.meta.undoes = action.undoes!;
    const kept = await keptOf(ctx, action.undoes!, items);
    return undone(action) === deleting ? bringBackAll(ctx, items, kept) : editBack(ctx, this.of(ctx, action), items, kept);
  },
};

interface Edit {
  was: Record<string, unknown>;
  is: Record<string, unknown>;
}

async function keptOf(ctx: Ctx, undoes: string, items: readonly Item[]): Promise<Map<string, unknown>> {
  const ids = items.map(({ object_id }) => object_id);
  const rows = await query(
    ctx,
    statement(sql`select t.object_id, t.kept from bulk_action_item t
      where t.organization_id = ${ctx.organization_id} and t.bulk_action_id = ${undoes} and t.object_id = any(${ids}) and t.kept is not null`),
  );
  return new Map(rows.map(([id, kept]) => [id!, JSON.parse(kept!)]));
}

async function editBack(ctx: Ctx, of: Resource, items: readonly Item[], kept: ReadonlyMap<string, unknown>): Promise<Done[]> {
  const rows = await lockItems(ctx, of, items);
  return each(ctx, items, async (own, { object_id }): Promise<Done> => {
    const before = rows.get(object_id);
    const edit = kept.get(object_id) as Edit | undefined;
    if (before === undefined || edit === undefined) return gone;
    const present = picked(before, Object.keys(edit.is));
    const others = Object.keys(edit.is).filter((name) => !same(present[name], edit.is[name]));
    if (others.length > 0) return { status: "skipped", error: `${others.join(", ")}: changed since` };
    const kind = kindOf(of, before);
    const isSet = (name: string) => name.startsWith("custom.") || kind.fields[name]?.mode === "write";
    await change(own, of, before, Object.fromEntries(Object.entries(edit.was).filter(([name]) => isSet(name))));
    return { status: "succeeded" };
  });
}

async function bringBackAll(ctx: Ctx, items: readonly Item[], kept: ReadonlyMap<string, unknown>): Promise<Done[]> {
  return each(ctx, items, async (own, { object_id }): Promise<Done> => {
    const removal = kept.get(object_id) as Removal | undefined;
    if (removal === undefined) throw invalid({}, "What it was is not kept any more");
    const { of, rows } = removal.removed.at(-1)!;
    const resource = own.registry.resource(of)!;
    const there = await findRecords(own, resource, [sql`t.id = any(${rows.map((row) => (row as any).id)})`]);
    if (there.length > 0) return { status: "skipped", error: "is there again" };
    const missing = await bringBack(own, removal);
    return missing.length === 0
      ? { status: "succeeded" }
      : { status: "succeeded", error: `without ${missing.join(", ")}`.slice(0, 1000) };
  });
}
