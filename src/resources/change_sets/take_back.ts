// Takes back what one request did: what it deleted comes back, what it changed is as before, and what it created is deleted, each by
// the caller's rights. What cannot be taken back says why, and the rest goes on.
import type { Ctx } from "../../core/context.ts";
import { refreshDirectory } from "../../records/change.ts";
import { checkConstraints } from "../../records/defer_constraints.ts";
import type { Removal } from "../../records/removal_notes.ts";
import { alone } from "../bulk_actions/alone.ts";
import type { Together } from "../bulk_actions/together.ts";
import { type Refusal, refusalOf } from "../shared/refused_words.ts";
import { isBegunWork, type Started, takeBackWork } from "./begun_work.ts";
import { type Already, changeBack, type SetBack } from "./change_back.ts";
import { deleteAgain } from "./delete_again.ts";
import { heldValues } from "./held_values.ts";
import { isOfMembers, membersBack } from "./members_back.ts";
import type { Past } from "./past.ts";
import { type Deleted, partsOf, restore } from "./restore.ts";

export interface Outcome {
  started: Started[];
  undone: { object_type: string; object_id: string; action: "deleted" | "restored" | "changed"; fields: string[] }[];
  not_undone: { object_type: string; object_id: string; reason: string }[];
}

/** `staying` says which of the created records stay, and why. What is done leaves with `together`. */
export async function takeBack(
  ctx: Ctx,
  { pasts, removal }: { pasts: readonly Past[]; removal: Removal | null },
  staying: ReadonlyMap<string, string>,
  together: Together,
  { started, undone, not_undone }: Outcome,
): Promise<void> {
  const trial = { ctx, together };
  const say = ({ object_type, object_id }: Past, reason: string) => void not_undone.push({ object_type, object_id, reason });
  const done = ({ object_type, object_id }: Past, action: Outcome["undone"][number]["action"], fields: string[] = []) =>
    void undone.push({ object_type, object_id, action, fields });

  const begun = pasts.filter(isBegunWork);
  for (const one of begun) {
    const back = await tryTo(trial, (own) => takeBackWork(own, one));
    if ("words" in back) say(one, back.words);
    else started.push(back.done);
  }
  const deleted = pasts.filter(({ isDeleted }) => isDeleted);
  let mayBeBack = await bringBackAll(trial, partsOf(removal, deleted), { say, done });

  const others = pasts.filter((one) => !begun.includes(one)).toReversed();
  const changed = others.filter(({ isChanged }) => isChanged);
  const definitions = changed.filter(({ of }) => of.cached);
  const records = changed.filter(({ of }) => !of.cached);
  const held = await heldValues(ctx, definitions, records);
  const setAllBack = async (some: readonly Past[]) => {
    const refused: [Past, string][] = [];
    for (const one of some) {
      const back = await setBack(trial, one, { mayBeBack, held: held.get(one.object_id) ?? new Set() });
      if ("words" in back) refused.push([one, back.words]);
      else {
        if (back.fields.length > 0 || one.events.some(isOfMembers)) done(one, "changed", back.fields);
        if (back.left.length > 0) say(one, back.left.join("; "));
      }
    }
    return refused;
  };
  const refused = await setAllBack(definitions);
  if (refused.length < definitions.length) {
    await showDefinitions(trial);
    mayBeBack = true;
  }
  refused.push(...(await setAllBack(records)));
  for (const one of others.filter(({ isCreated }) => isCreated)) {
    const gone = await tryTo(trial, (own) => deleteAgain(own, one, staying));
    if ("words" in gone) say(one, gone.words);
    else if (gone.done) done(one, "deleted");
  }
  // What followed from the created, such as the sum of a deal's items, can be as before when they are gone.
  for (const [one, words] of await setAllBack(refused.map(([one]) => one))) say(one, words);
}

/** Records name statuses and fields that came back, and have values by their types. */
async function showDefinitions({ ctx, together }: Trial): Promise<void> {
  together.send();
  await refreshDirectory(ctx);
}

interface Trial {
  ctx: Ctx;
  together: Together;
}

/** Where it is refused, nothing of it stays, also where the database refuses it. */
async function tryTo<T>({ ctx, together }: Trial, act: (own: Ctx) => Promise<T>): Promise<{ done: T } | Refusal> {
  const settled = async (own: Ctx) => {
    const result = await act(own);
    await checkConstraints(own);
    return { done: result };
  };
  try {
    return await alone(ctx, settled, together);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return refusal;
  }
}

/** Returns whether anything is there again. */
async function bringBackAll(
  trial: Trial,
  parts: readonly Deleted[],
  { say, done }: { say(one: Past, reason: string): void; done(one: Past, action: "restored"): void },
): Promise<boolean> {
  let isAny = false;
  for (const part of parts) {
    const last = part.pasts.at(-1);
    const restored = await tryTo(trial, (own) => restore(own, part));
    if ("words" in restored) {
      if (last !== undefined) say(last, restored.words);
      continue;
    }
    const { back, without } = restored.done;
    for (const one of part.pasts) if (back.has(one.object_id)) done(one, "restored");
    if (last !== undefined && without.length > 0) say(last, `came back without ${without.join(", ")}`);
    isAny = true;
    if (part.removal?.removed.some(({ of }) => trial.ctx.registry.resource(of)?.cached)) await showDefinitions(trial);
  }
  return isAny;
}

/** A field whose value is refused, such as a status that is gone, is left as it is, and the others are set back. */
async function setBack(trial: Trial, one: Past, already: Already): Promise<SetBack | Refusal> {
  const without = new Map<string, string>();
  for (;;) {
    const back = await tryTo(trial, (own) => setBackIn(own, one, without, already));
    if (!("words" in back)) return back.done;
    const refused = Object.entries(back.reasons).filter(([field]) => field !== "" && !without.has(field));
    if (refused.length === 0) return back;
    for (const [field, reason] of refused) without.set(field, reason);
  }
}

async function setBackIn(ctx: Ctx, one: Past, without: ReadonlyMap<string, string>, already: Already): Promise<SetBack> {
  if (one.events.some(isOfMembers)) await membersBack(ctx, one);
  return one.events.every(isOfMembers) ? { fields: [], left: [] } : changeBack(ctx, one, without, already);
}
