// Takes the recipients of an unanswered e-mail into the sequence that it names.
import type { Ctx } from "../../core/context.ts";
import { reasonsOf } from "../../core/errors.ts";
import type { Create } from "../../core/resource.ts";
import { createRecord } from "../../records/records.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";

interface FollowUp {
  sequence_id: string;
  contact_ids: readonly string[];
  /** In whose name. */
  by: string;
  start_date: string;
}

/** True when it took at least one of them. */
export async function followUpBy(ctx: Ctx, { sequence_id, contact_ids, by, start_date }: FollowUp): Promise<boolean> {
  const author: Ctx = { ...ctx, actor: { ...ctx.actor, user_id: by } };
  let isTaken = false;
  for (const contact_id of contact_ids) {
    try {
      const given = { sequence_id, contact_id, start_date };
      await createRecord(author, sequenceSubscription, given as Create<typeof sequenceSubscription>);
      isTaken = true;
    } catch (refusal) {
      // They are in it already, have opted out, or the sequence is a draft: a person has to follow up.
      reasonsOf(refusal);
    }
  }
  return isTaken;
}
