// Takes back what one request did: what it deleted comes back, what it changed is as before, and what it created is deleted, each by
// the caller's rights. What cannot be taken back says why, and the rest goes on.
import type { Ctx } from "../../core/context.ts";
import { refreshDirectory } from "../../records/change.ts";
import { checkConstraints } from "../../records/defer_constraints.ts";
import { alone } from "../bulk_actions/alone.ts";
import type { Together } from "../bulk_actions/together.ts";
import { type Refusal, refusalOf } from "../shared/refused_words.ts";
import { changeBack, type SetBack } from "./change_back.ts";
import type { PastRequest } from "./changes_of.ts";
import { deleteAgain } from "./delete_again.ts";
import { isOfMembers, membersBack } from "./members_back.ts";
import { type Past, pastsOf } from "./past.ts";
import { restore } from "./restore.ts";

export interface Outcome {
  undone: { object_type: string; object_id: string; action: "deleted" | "restored" | "changed"; fields: string[] }[];
  not_undone: { object_type: string; object_id: string; reason: string }[];
}

/** `asked` are the ids of all requests that are undone together. What is done leaves with `together`. */
export async function takeBack(
  ctx: Ctx,
  request: PastRequest,
  asked: ReadonlySet<string>,
  together: Together,
  { undone, not_undone }: Outcome,
): Promise<void> {
  const trial = { ctx, together };
  const say = ({ object_type, object_id }: Past, reason: string) => void not_undone.push({ object_type, object_id, reason });
  const done = ({ object_type, object_id }: Past, action: Outcome["undone"][number]["action"], fields: string[] = []) =>
    void undone.push({ object_type, object_id, action, fields });

  const pasts = pastsOf(ctx, request.events);
  const deleted = pasts.filter((one) => one.isDeleted && !one.isCreated);
  const returned = await bringBackAll(trial, request.removal, deleted, { say, done });

  const changed = pasts.filter((past) => !past.isCreated && !past.isDeleted && !returned.has(past.object_id)).toReversed();
  const created = pasts.filter((past) => past.isCreated && !past.isDeleted).toReversed();
  const setAllBack = async (some: readonly Past[]) => {
    const refused: [Past, string][] = [];
    for (const one of some) {
      const back = await setBack(trial, one);
      if ("words" in back) refused.push([one, back.words]);
      else {
        done(one, "changed", back.fields);
        if (back.left.length > 0) say(one, back.left.join("; "));
      }
    }
    return refused;
  };
  const refused = await setAllBack(changed);
  for (const one of created) {
    const gone = await tryTo(trial, (own) => deleteAgain(own, one, asked));
    if ("words" in gone) say(one, gone.words);
    else if (gone.done) done(one, "deleted");
  }
  // What followed from the created, such as the sum of a deal's items, can be as before when they are gone.
  for (const [one, words] of await setAllBack(refused.map(([one]) => one))) say(one, words);
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

/** Returns the ids of what is there again. */
async function bringBackAll(
  trial: Trial,
  removal: PastRequest["removal"],
  deleted: readonly Past[],
  { say, done }: { say(one: Past, reason: string): void; done(one: Past, action: "restored"): void },
): Promise<Set<string>> {
  const last = deleted.at(-1);
  if (last === undefined) return new Set();
  const restored = await tryTo(trial, (own) => restore(own, removal, deleted));
  if ("words" in restored) {
    say(last, restored.words);
    return new Set();
  }
  const { back, without } = restored.done;
  for (const one of deleted) if (back.has(one.object_id)) done(one, "restored");
  if (without.length > 0) say(last, `came back without ${without.join(", ")}`);
  // Records name statuses and fields that came back.
  if (removal?.removed.some(({ of }) => trial.ctx.registry.resource(of)?.cached)) {
    trial.together.send();
    await refreshDirectory(trial.ctx);
  }
  return new Set([...back, ...(removal?.lost ?? []).map((one) => one.id)]);
}

/** A field whose value is refused, such as a status that is gone, is left as it is, and the others are set back. */
async function setBack(trial: Trial, one: Past): Promise<SetBack | Refusal> {
  const without = new Map<string, string>();
  for (;;) {
    const back = await tryTo(trial, (own) => setBackIn(own, one, without));
    if (!("words" in back)) return back.done;
    const refused = Object.entries(back.reasons).filter(([field]) => field !== "" && !without.has(field));
    if (refused.length === 0) return back;
    for (const [field, reason] of refused) without.set(field, reason);
  }
}

async function setBackIn(ctx: Ctx, one: Past, without: ReadonlyMap<string, string>): Promise<SetBack> {
  if (one.events.some(isOfMembers)) await membersBack(ctx, one);
  return one.events.every(isOfMembers) ? { fields: [], left: [] } : changeBack(ctx, one, without);
}
