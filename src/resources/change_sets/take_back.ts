// Takes back what one request did: what it deleted comes back, what it changed is as before, and what it created is deleted, each by
// the caller's rights. What cannot be taken back says why, and the rest goes on.
import type { Ctx } from "../../core/context.ts";
import { refreshDirectory } from "../../records/change.ts";
import { alone } from "../bulk_actions/alone.ts";
import type { Together } from "../bulk_actions/together.ts";
import { refusalOf } from "../shared/refused_words.ts";
import { changeBack } from "./change_back.ts";
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
  const say = ({ object_type, object_id }: Past, reason: string) => void not_undone.push({ object_type, object_id, reason });
  const done = ({ object_type, object_id }: Past, action: Outcome["undone"][number]["action"], fields: string[] = []) =>
    void undone.push({ object_type, object_id, action, fields });
  const tryTo = async (one: Past, act: (own: Ctx) => Promise<void>) => {
    try {
      await alone(ctx, act, together);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      say(one, refusal.words);
    }
  };

  const pasts = pastsOf(ctx, request.events);
  const deleted = pasts.filter((one) => one.isDeleted && !one.isCreated);
  const returned = new Set<string>();
  if (deleted.length > 0)
    await tryTo(deleted.at(-1)!, async (own) => {
      const { back, without } = await restore(own, request.removal, deleted);
      for (const one of deleted) if (back.has(one.object_id)) done(one, "restored");
      if (without.length > 0) say(deleted.at(-1)!, `came back without ${without.join(", ")}`);
      for (const id of [...back, ...(request.removal?.lost ?? []).map((one) => one.id)]) returned.add(id);
    });

  // Records name statuses and fields that came back.
  if (returned.size > 0 && request.removal?.removed.some(({ of }) => ctx.registry.resource(of)?.cached)) {
    together.send();
    await refreshDirectory(ctx);
  }

  for (const one of pasts.filter((past) => !past.isCreated && !past.isDeleted && !returned.has(past.object_id)).toReversed())
    await tryTo(one, async (own) => {
      if (one.events.some(isOfMembers)) await membersBack(own, one);
      done(one, "changed", await changeBack(own, one));
    });
  for (const one of pasts.filter((past) => past.isCreated && !past.isDeleted).toReversed())
    await tryTo(one, async (own) => {
      if (await deleteAgain(own, one, asked)) done(one, "deleted");
    });
}
