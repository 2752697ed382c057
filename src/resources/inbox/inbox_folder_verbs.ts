// The verbs of folders.
import { type Ctx, query, write } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { placeBehind } from "../shared/positions.ts";
import { refuseBoth } from "../shared/resolve_label.ts";
import { folderOf, inboxFolder, systemFolder } from "./inbox_folder.ts";
import { inboxProspect } from "./inbox_prospect.ts";
import { inboxRule } from "./inbox_rule.ts";

type Folder = Row<typeof inboxFolder>;

export async function createInboxFolder(ctx: Ctx, given: Create<typeof inboxFolder>): Promise<Folder> {
  const values = named(given);
  if (!values.name?.trim()) throw invalid({ name: "is required" });
  if (values.parent_folder_id) checkParent(ctx, values.parent_folder_id);
  const position = values.position ?? (await placeBehind(ctx, inboxFolder));
  return store.insert(ctx, inboxFolder, { ...values, position, ...ownership(ctx, values.is_shared ?? true) });
}

export async function updateInboxFolder(ctx: Ctx, before: Folder, patch: Patch<typeof inboxFolder>): Promise<Folder> {
  refuseSystem(before);
  const values = named(patch, before);
  const { parent_folder_id } = values;
  if (parent_folder_id && parent_folder_id !== before.parent_folder_id) {
    checkParent(ctx, parent_folder_id);
    await checkNoCircle(ctx, before.id, parent_folder_id);
  }
  const shared = values.is_shared ?? before.is_shared;
  return store.update(ctx, inboxFolder, before, {
    ...values,
    ...(shared !== before.is_shared && ownership(ctx, shared)),
  });
}

/** Its messages move to the Inbox, and rules that name it are disabled, so that nothing is filed where nobody looks. */
export async function deleteInboxFolder(ctx: Ctx, before: Folder): Promise<void> {
  refuseSystem(before);
  makeRoom(ctx, before);
  const inbox = systemFolder(ctx.directory, "inbox").id;
  for (const kind of [ctx.registry.resource("conversation")!, inboxProspect]) {
    const filed = await lockToChange(ctx, kind, sql`t.folder_id = ${before.id}`);
    const changes = filed.map((row) => ({ before: row, values: { folder_id: inbox } }));
    await store.updateAll(ctx, kind, changes);
  }
  await disableRulesNaming(ctx, before.id);
  await store.remove(ctx, inboxFolder, [before]);
}

/** Folders inside it move to the top level, where their names must be free. The deleted folder's name is. */
function makeRoom(ctx: Ctx, before: Folder): void {
  const isSameName = (one: Folder, other: Folder) =>
    one.user_id === other.user_id && one.name.toLowerCase() === other.name.toLowerCase();
  const all = ctx.directory.list(inboxFolder);
  const top = all.filter((one) => one.parent_folder_id === null && one.id !== before.id);
  const clash = all.find((one) => one.parent_folder_id === before.id && top.some((other) => isSameName(one, other)));
  if (clash !== undefined)
    throw invalid({}, `It holds a folder ${clash.name}, and there is another of that name outside: rename one of them first.`);
  write(
    ctx,
    statement(sql`update inbox_folder set name = id where organization_id = ${ctx.organization_id} and id = ${before.id}`),
  );
}

async function disableRulesNaming(ctx: Ctx, id: string): Promise<void> {
  const rules = await findRecords(
    ctx,
    { ...inboxRule, visible: undefined },
    [sql`t.is_enabled`, sql`t.actions @> ${JSON.stringify([{ value: id }])}::jsonb`],
    sql`order by t.id for update of t`,
  );
  for (const rule of rules) store.update(ctx, inboxRule, rule, { is_enabled: false });
}

function refuseSystem(folder: Folder): void {
  if (folder.is_system) throw invalid({}, `${folder.name} always exists: it cannot be changed or deleted.`);
}

/** A private folder belongs to its creator alone. */
const ownership = (ctx: Ctx, is_shared: boolean) => ({ is_shared, user_id: is_shared ? null : ctx.actor.user_id });

/** `display_name` is another name of `name`. Of the two, the one that differs from the stored value counts. */
function named<T extends { name?: string; display_name?: string | null }>(
  { display_name, ...given }: T,
  before: { name?: string } = {},
): Omit<T, "display_name"> {
  if (display_name === undefined || display_name === before.name) return given;
  if (!display_name?.trim()) throw invalid({ display_name: "must not be empty" });
  if (given.name !== before.name) refuseBoth({ ...given, display_name }, "name", "display_name");
  return { ...given, name: display_name };
}

function checkParent(ctx: Ctx, id: string): void {
  if (folderOf(ctx, id) === undefined) throw invalid({ parent_folder_id: "does not exist" });
}

/** All folders are locked by now. Otherwise two moves at once could make a circle that neither sees. */
async function checkNoCircle(ctx: Ctx, id: string, parent: string): Promise<void> {
  const rows = await query(
    ctx,
    statement(sql`select f.id, f.parent_folder_id from inbox_folder f
      where f.organization_id = ${ctx.organization_id} `),
  );
  const parents = new Map(rows.map(([one, above]) => [one!, above ?? null]));
  for (let at: string | null = parent; at !== null; at = parents.get(at) ?? null)
    if (at === id) throw invalid({ parent_folder_id: "must not be inside the folder itself" });
}
