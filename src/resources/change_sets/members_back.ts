// Puts records back on lists, and takes them off again.
import type { Ctx } from "../../core/context.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { contactList } from "../lists/contact_list.ts";
import { leadList } from "../lists/lead_list.ts";
import { addToList, removeFromList } from "../lists/list_verbs.ts";
import type { PastEvent } from "./changes_of.ts";
import type { Past } from "./past.ts";

export const isOfMembers = ({ action }: PastEvent): boolean => action === "member_added" || action === "member_removed";

export const listedIds = ({ meta }: PastEvent): string[] => (meta.lead_ids ?? meta.contact_ids) as string[];

/** A member that is gone or not visible is refused by name. One that is on the list already, or off it, is left so. */
export async function membersBack(ctx: Ctx, { of, object_id, events }: Past): Promise<void> {
  const [list, listed] = of.name === contactList.name ? ([contactList, contact] as const) : ([leadList, lead] as const);
  for (const event of events.filter(isOfMembers).toReversed()) {
    const { action } = event;
    const ids = listedIds(event);
    if (action === "member_removed") await addToList(ctx, list, listed, object_id, ids);
    else for (const id of ids) await removeFromList(ctx, list, listed, object_id, id);
  }
}
