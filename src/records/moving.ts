// Moving a record to another organization with everything that belongs to it: copied there under the same ids, deleted here, in one
// transaction. Which records belong and what becomes of their references is read off their definitions, so a new resource takes part
// by declaring `onMove`.
import { type Ctx, write } from "../core/context.ts";
import type { Field } from "../core/field.ts";
import { kindOf, type Resource, type Row } from "../core/resource.ts";
import { lockPointing, removeRows } from "./references.ts";
import { store } from "./store.ts";

/** A record on its way. */
export interface Moving {
  /** The resource that holds its rows: for an activity of any kind, `activity`. */
  of: Resource;
  before: Row<Resource>;
  /** The row as it will be there. */
  after: Row<Resource>;
}

export interface Move {
  /** The record itself, then what goes with it. */
  going: readonly Moving[];
  /** What belongs to it and cannot be without something that stays behind, such as the type of a custom object. It is deleted. */
  left: readonly Omit<Moving, "after">[];
}

/** What would go: the record and, level by level, what points at it with `cascade` and `follow`. All of it is locked. */
export async function planMove(here: Ctx, there: Ctx, of: Resource, row: Row<Resource>): Promise<Move> {
  const found = new Map<string, Omit<Moving, "after">>();
  await collect(here, of, [row], found);
  const left = takeOutStranded(found, row.id as string);
  const going = [...found.values()].map((one) => ({ ...one, after: translated(one, found, here, there) }));
  return { going, left };
}

async function collect(
  ctx: Ctx,
  of: Resource,
  rows: readonly Row<Resource>[],
  found: Map<string, Omit<Moving, "after">>,
): Promise<void> {
  const fresh = rows.filter((row) => !found.has(row.id));
  if (fresh.length === 0) return;
  for (const before of fresh) found.set(before.id, { of, before });
  const ids = fresh.map((row) => row.id as string);
  for (const pointer of ctx.registry.pointersTo(of.name)) {
    if (owns(pointer.rule)) await collect(ctx, pointer.from, await lockPointing(ctx, pointer, ids), found);
  }
}

const owns = (rule: NonNullable<Field["ref"]>) => rule.onDelete === "cascade" && rule.onMove === "follow";

/** Takes out what would have lost a reference it needs, or the record it belongs to; then what needed that, and so on. */
function takeOutStranded(found: Map<string, Omit<Moving, "after">>, root: string): Omit<Moving, "after">[] {
  const stranded: Omit<Moving, "after">[] = [];
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const [id, one] of found) {
      if (id === root || canGo(one, found)) continue;
      stranded.push(one);
      found.delete(id);
    }
  }
  return stranded;
}

function canGo({ of, before }: Omit<Moving, "after">, found: ReadonlyMap<string, unknown>): boolean {
  if (of.about !== undefined && !found.has(before[of.about] as string)) return false;
  const references = kindOf(of, before).columns.filter(([key, field]) => field.ref !== null && before[key] !== null);
  // What is about a record belongs to that; whether it goes along, its references say.
  const leads = ({ ref }: Field) => (of.about === undefined ? owns(ref!) : ref!.onMove === "follow");
  const lost = ([key, { ref }]: readonly [string, Field]) =>
    ref!.onMove === "clear" || (ref!.onMove === "follow" && !found.has(before[key] as string));
  return (
    references.some(([key, field]) => leads(field) && found.has(before[key] as string)) &&
    !references.some((reference) => !reference[1].nullable && lost(reference))
  );
}

/** The row as the other organization will have it: what stays behind is forgotten, or gives way to what a new record there has. */
function translated({ of, before }: Omit<Moving, "after">, found: ReadonlyMap<string, unknown>, here: Ctx, there: Ctx) {
  const kind = kindOf(of, before);
  const after: Record<string, unknown> = { ...before, organization_id: there.organization_id };
  for (const [key, field] of kind.columns) {
    if (field.ref === null || before[key] === null) continue;
    const { onMove } = field.ref;
    if (onMove === "clear" || (onMove === "follow" && !found.has(before[key] as string))) after[key] = null;
    if (onMove === "default" && typeof field.default === "function") after[key] = field.default(there);
  }
  if (kind.custom !== undefined) after.custom = {};
  return { ...after, ...kind.moved?.(before, here, there) } as Row<Resource>;
}

/** Carries a planned move out. What belongs to the record and does not go along is deleted with it, as its own deletion would. */
export async function carryOut(here: Ctx, there: Ctx, { going }: Move): Promise<void> {
  const { of, before } = going[0]!;
  // Rows name each other in any order, and until the last has come some names lead nowhere.
  write(here, { text: "set constraints all deferred", values: [] });
  // Deleted first: what is unique among all organizations, such as the secret in a link, is there only once at any time.
  await removeRows(here, of, [before], { moved_to: there.organization_id });
  for (const [kind, rows] of Map.groupBy(going, (one) => kindOf(one.of, one.before)))
    store.insertAll(
      there,
      kind,
      rows.map((one) => one.after),
      { moved_from: here.organization_id },
    );
}

/** The fields of a moved record that lost their value, custom values by their own names. */
export function clearedFields({ before, after }: Moving): string[] {
  const lost = Object.keys(before).filter((key) => key !== "custom" && before[key] !== null && after[key] === null);
  return [...lost, ...Object.keys((before.custom as object | undefined) ?? {})];
}
