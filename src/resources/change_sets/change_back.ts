// Gives a record the values that it had before.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { eventText } from "../../records/event.ts";
import { checkVisible, findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { isLeaving, isMessage, type MessageState } from "../activities/message_states.ts";
import { change } from "../bulk_actions/do_edit.ts";
import { inboxProspect } from "../inbox/inbox_prospect.ts";
import { partsFollow } from "../inbox/prospect_messages.ts";
import type { PastEvent } from "./changes_of.ts";
import type { Past } from "./past.ts";
import { checkRight, refuseAdministration } from "./rights.ts";

export interface SetBack {
  /** What is as before. */
  fields: string[];
  /** Why other fields are not, in words. */
  left: string[];
}

export interface Already {
  /** Something that is back may have brought it back already. */
  mayBeBack: boolean;
  /** What nobody has changed since, although it was converted meanwhile. */
  held: ReadonlySet<string>;
}

/** Leaves alone the fields that somebody has changed since, and those of `refused`. */
export async function changeBack(
  ctx: Ctx,
  { of, object_id, events }: Past,
  refused: ReadonlyMap<string, string>,
  { mayBeBack, held }: Already,
): Promise<SetBack> {
  const before = await lockPast(ctx, of, object_id);
  const kind = kindOf(of, before);
  refuseAdministration(ctx, kind);
  const present = JSON.parse(eventText(ctx, kind, before));
  const isSet = (field: string) => isSetByHand(kind, field);

  const { was, is } = valuesOf(events);
  const isUnsent = isMessage(kind) && isLeaving(was.get("status") as MessageState);
  if (isUnsent) was.set("status", "draft");
  const isBack = (field: string) => mayBeBack && same(present[field] ?? null, was.get(field));
  const all = [...was].filter(([field]) => isOwn(kind, field));
  const own = all.filter(([field]) => !isBack(field));
  const isFollowed = all.length > 0 || [...was].every(([field, value]) => same(present[field] ?? null, value));
  if (own.length === 0) return isFollowed && was.size > 0 ? { fields: [], left: [] } : refuseDeeds(events, [...was.keys()]);
  const custom = customFieldsOf(ctx.directory, of.name);
  const reasonOf = (field: string): string | null => {
    if (field.startsWith("custom.") && !custom.has(field)) return "its custom field is deleted";
    if (isUnsent && field === "status" && present.status === "draft") return stayDraft;
    const isLeft = held.has(field) || same(present[field] ?? null, is.get(field));
    return refused.get(field) ?? (isLeft ? null : "changed since");
  };
  const back = own.filter(([field]) => reasonOf(field) === null);
  const left = own.flatMap(([field]) => (reasonOf(field) === null ? [] : [`${field}: ${reasonOf(field)}`]));
  if (back.length === 0) throw invalid({}, left.join("; "));
  if (isUnsent && back.some(([field]) => field === "status")) left.push(`status: ${stayDraft}`);

  const set = Object.fromEntries(back.filter(([field]) => isSet(field)));
  const moved = Object.fromEntries(back.filter(([field]) => !isSet(field)));
  // What belongs to another lead again may name a contact of it again.
  const there = Object.keys(moved).length === 0 ? before : await moveBack(ctx, kind, before, moved);
  if (Object.keys(set).length > 0) await setBack(ctx, of, there, set);
  return { fields: [...Object.keys(set), ...Object.keys(moved)], left };
}

const stayDraft = "a draft, because nothing that comes back is sent by itself";

/** What was done without changing a field that is set. Of a merge, other records are taken back. */
function refuseDeeds(events: readonly PastEvent[], fields: readonly string[]): SetBack {
  const deeds = new Set(events.map(({ action }) => action).filter((action) => action !== "merged" && action !== "updated"));
  if (deeds.size > 0) throw invalid({}, `was ${[...deeds].join(" and ").replaceAll("_", " ")}, which cannot be taken back`);
  if (fields.length > 0) throw invalid({}, `${fields.join(", ")}: follows from other things`);
  return { fields: [], left: [] };
}

async function setBack(ctx: Ctx, of: Resource, before: Row<Resource>, values: Record<string, unknown>): Promise<void> {
  checkRight(ctx, kindOf(of, before), "update");
  await change(ctx, of, before, values);
}

const isSetByHand = (of: Resource, field: string): boolean => field.startsWith("custom.") || of.fields[field]?.mode === "write";

/** What does not follow from other things. */
export const isOwn = (of: Resource, field: string): boolean =>
  isSetByHand(of, field) || (of.fields[field] as { ref?: unknown })?.ref != null || byVerbs.get(of.name)?.test(field) === true;

/** What no request sets, but a verb does: `POST /ai/score_lead/`, and converting or dismissing a prospect. */
const byVerbs: ReadonlyMap<string, RegExp> = new Map([
  ["lead", /^scored?_|^score$/],
  ["inbox_prospect", /^status$|^(converted|dismissed)_/],
]);

/** A record that a merge gave to another one goes back to its own, and a score or a prospect to what it was: no right of its own is needed. */
async function moveBack(
  ctx: Ctx,
  kind: Resource,
  before: Row<Resource>,
  values: Record<string, unknown>,
): Promise<Row<Resource>> {
  await checkVisible(ctx, kind, values, before);
  const after = store.update(ctx, kind, before, values);
  if (kind.name === inboxProspect.name) partsFollow(ctx, after as Row<typeof inboxProspect>);
  return after;
}

export async function lockPast(ctx: Ctx, of: Resource, id: string): Promise<Row<Resource>> {
  const [row] = await findRecords(ctx, of, [sql`t.id = ${id}`], sql`for update of t`);
  if (row === undefined) throw invalid({}, "is deleted, or not visible to you");
  return row;
}

/** The changed fields: what they were before the first change, and were after the last. */
export function valuesOf(events: readonly Pick<PastEvent, "changed_fields" | "previous_data" | "data">[]): {
  was: Map<string, unknown>;
  is: Map<string, unknown>;
} {
  const was = new Map<string, unknown>();
  const is = new Map<string, unknown>();
  for (const { changed_fields, previous_data, data } of events)
    for (const field of changed_fields) {
      if (!was.has(field)) was.set(field, previous_data[field] ?? null);
      is.set(field, data[field] ?? null);
    }
  return { was, is };
}
