// Puts records on lists that members keep, and takes them off.
import { contactList } from "../../lists/contact_list.ts";
import { leadList } from "../../lists/lead_list.ts";
import { addToList, removeFromList } from "../../lists/list_verbs.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome } from "./step.ts";
import { recordNamed } from "./writing.ts";

const lists = { lead: leadList, contact: contactList };

/** A record that is there already, or not there, stays as it is. */
export async function changeList(call: Call): Promise<Outcome> {
  const { ctx, config } = call;
  const { kind, id } = await recordNamed(call);
  const list = lists[kind.name as keyof typeof lists];
  if (list === undefined)
    throw new StepFailure("object_type_mismatch", "config", `A ${kind.name} is on no lists: only leads and contacts are`);
  const changed =
    config.change === "add"
      ? (await addToList(ctx, list, kind, config.list_id, [id])).added.length > 0
      : await removeFromList(ctx, list, kind, config.list_id, id);
  return { output: { id, object_type: kind.name, changed } };
}
