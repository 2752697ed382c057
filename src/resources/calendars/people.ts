// Matches the people of events: members by their own addresses and those that they have proven, contacts by theirs.
import type { Ctx } from "../../core/context.ts";
import { emailKey } from "../../values/email.ts";
import { whoHasProven } from "../accounts/proof.ts";
import type { Attendee } from "../activities/meeting.ts";
import { contactsWith, type Reachable } from "../activities/placing.ts";
import { memberWith } from "../activities/recipients.ts";
import { rightsOf } from "../leads/hidden_from.ts";
import { isActiveMember, user } from "../organization/user.ts";
import type { Content, Invited } from "./calendar_event.ts";

export interface People {
  memberOf(email: string | null): string | null;
  /**
   * The contacts among them that catch the owner's meetings, and those at the lead of the meeting, the latest exchange first. A
   * member is never matched to a contact.
   */
  contactsOf(invited: readonly Invited[], leadId?: string): Reachable[];
}

/** In a real organization, the addresses of a page match fewer contacts than this. */
const contactsMost = 2000;

/** Whose calendar it is, and the address of their account. */
export async function readPeople(
  ctx: Ctx,
  { user_id, email: own }: { user_id: string; email: string | null },
  events: readonly Content[],
): Promise<People> {
  const addresses = [...new Set(events.flatMap(({ invited }) => invited.flatMap(({ email }) => (email ? emailKey(email) : []))))];
  const proven = addresses.length === 0 ? [] : await whoHasProven(ctx, addresses);
  const isOwn = (key: string) => own !== null && key === emailKey(own);
  const memberOf = (email: string | null): string | null => {
    if (email === null) return null;
    const key = emailKey(email);
    const id =
      memberWith(ctx.directory, key) ?? proven.find((one) => one.email === key)?.user_id ?? (isOwn(key) ? user_id : undefined);
    return id !== undefined && isActiveMember(ctx.directory, id) ? id : null;
  };
  const strangers = addresses.filter((email) => memberOf(email) === null);
  const owner = { ...ctx, actor: await rightsOf(ctx, user_id) };
  const contacts = strangers.length === 0 ? [] : await contactsWith(ctx, strangers, { most: contactsMost, owner });
  return {
    memberOf,
    contactsOf(invited, leadId) {
      const theirs = new Set(invited.flatMap(({ email }) => (email && memberOf(email) === null ? emailKey(email) : [])));
      const isTheirs = ({ catches, lead_id }: Reachable) => catches || lead_id === leadId;
      return contacts.filter((one) => isTheirs(one) && one.email_keys.some((key) => theirs.has(key)));
    },
  };
}

/** The attendees of an event. Contacts are named at the meeting's lead only: not everybody who sees it sees the leads of the others. */
export function attendeesOf(
  ctx: Ctx,
  { invited }: Content,
  people: People,
  contacts: readonly Reachable[],
  leadId: string,
): Attendee[] {
  return invited.map(({ email, name, status, is_organizer }) => {
    const user_id = people.memberOf(email);
    const isMet = ({ lead_id, email_keys }: Reachable) =>
      lead_id === leadId && email !== null && email_keys.includes(emailKey(email));
    const contact = user_id === null ? contacts.find(isMet) : undefined;
    const known = ctx.directory.get(user, user_id)?.name ?? contact?.name ?? null;
    return { email, name: name ?? known, user_id, contact_id: contact?.id ?? null, status, is_organizer };
  });
}
