// Edits the items of a bulk action.
import type { Ctx } from "../../core/context.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import { changedFields } from "../../records/event.ts";
import { readPatch } from "../../records/input.ts";
import { checkOwner, checkVisible } from "../../records/records.ts";
import { checkEdit, type GivenEdit } from "./check_edit.ts";
import { type BulkAction, type Doing, each, gone, lockItems, whyRefused } from "./doing.ts";
import { customOwners } from "./edit.ts";

export const editing: Doing = {
  permission: "bulk_edit",
  of: (ctx, action) => ctx.registry.resource(editedKind(action))!,
  stopped: (ctx, action) => whyRefused(() => checkEdit(ctx, action as GivenEdit)),
  async take(ctx, action, items) {
    const of = this.of(ctx, action);
    const rows = await lockItems(ctx, of, items);
    return each(ctx, items, async (own, { object_id }) => {
      const before = rows.get(object_id);
      if (before === undefined) return gone;
      const after = await change(own, of, before, bodyFor(action, before));
      const changed = changedFields(kindOf(of, before), before, after);
      if (changed.length === 0) return { status: "succeeded" };
      return { status: "succeeded", kept: { was: picked(before, changed), is: picked(after, changed) } };
    });
  },
};

/** The kind of record that an edit changes. */
export function editedKind({ type, object_type }: Partial<BulkAction>): string {
  const [, owner] = /^(?:set|clear)_(.*)custom_field$/.exec(type ?? "") ?? [];
  if (owner !== undefined) return customOwners[owner as keyof typeof customOwners];
  return object_type ?? "lead";
}

/** Changes a locked record like a request with this body. */
export async function change(
  ctx: Ctx,
  of: Resource,
  before: Row<Resource>,
  body: Record<string, unknown>,
): Promise<Row<Resource>> {
  const kind = kindOf(of, before);
  checkOwner(ctx, kind, before, "update");
  const patch = readPatch(ctx, kind, body, before);
  await checkVisible(ctx, kind, patch as Record<string, unknown>, before);
  return ctx.registry.verb(kind, "update")(ctx, before, patch);
}

function bodyFor(action: BulkAction, before: Row<Resource>): Record<string, unknown> {
  const { type, custom_field_id, custom_field_operation } = action;
  if (type === "set_lead_status") return { status_id: action.lead_status_id };
  if (type === "set_owner") return { owner_id: action.owner_id };
  if (type === "set_fields") return action.fields as Record<string, unknown>;
  if (type === "add_tag" || type === "remove_tag") return { tags: tagsAfter(before.tags as string[], action.tag, type) };
  if (type.startsWith("clear_")) return { [`custom.${custom_field_id}`]: null };
  const way = custom_field_operation === "replace" ? "" : `.${custom_field_operation}`;
  return { [`custom.${custom_field_id}${way}`]: action.custom_field_value };
}

function tagsAfter(tags: string[], tag: string, type: "add_tag" | "remove_tag"): string[] {
  const others = tags.filter((one) => one.toLowerCase() !== tag.toLowerCase());
  if (type === "remove_tag") return others;
  return others.length === tags.length ? [...tags, tag] : tags;
}

/** The values of these fields; custom fields by their own names. */
export function picked(row: Row<Resource>, names: readonly string[]): Record<string, unknown> {
  const values = row as Record<string, unknown>;
  return Object.fromEntries(
    names.map((name) => [name, (name.startsWith("custom.") ? row.custom?.[name] : values[name]) ?? null]),
  );
}
