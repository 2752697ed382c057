// Who takes part in a conversation: the contact, the members who write, and the other addresses and numbers.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { emailKey } from "../../values/email.ts";
import { asPerson } from "../activities/recipients.ts";
import { contact } from "../contacts/contact.ts";
import { user } from "../organization/organization.ts";
import type { Participant } from "./conversation.ts";
import type { Message } from "./message.ts";

const peopleMax = 200;

export const asParticipant = (person: Row<typeof contact>): Participant => ({
  contact_id: person.id,
  user_id: null,
  email: person.emails[0]?.email ?? null,
  phone: person.phones[0]?.phone ?? null,
  name: person.display_name,
});

/** The participants so far, and those that this message adds. */
export async function withPeopleOf(ctx: Ctx, { people }: { people: Participant[] }, message: Message): Promise<Participant[]> {
  const all = [...people];
  const add = (one: Participant) => {
    if (all.length < peopleMax && !all.some((other) => isSame(one, other))) all.push(one);
  };
  if (message.contact_id !== null && !all.some((one) => one.contact_id === message.contact_id)) {
    const person = await findRecord(ctx, contact, message.contact_id);
    if (person !== null) add(asParticipant(person));
  }
  if (message.user_id !== null) add(memberAs(ctx, message.user_id));
  for (const address of [message.sender ?? [], message.to ?? [], message.cc ?? []].flat()) add(addressee(ctx, address));
  const phone = message.remote_phone ?? message.phone;
  if (phone) add({ ...nobody, phone });
  return all;
}

const nobody: Participant = { contact_id: null, user_id: null, email: null, phone: null, name: null };

function memberAs(ctx: Ctx, user_id: string): Participant {
  const member = ctx.directory.get(user, user_id);
  return { ...nobody, user_id, email: member?.email ?? null, name: member?.name ?? null };
}

function addressee(ctx: Ctx, address: string): Participant {
  const { email, name } = asPerson(address) ?? { email: address, name: null };
  const member = ctx.directory.list(user).find((one) => emailKey(one.email) === emailKey(email));
  return member ? memberAs(ctx, member.id) : { ...nobody, email, name };
}

function isSame(one: Participant, other: Participant): boolean {
  if (one.contact_id !== null) return one.contact_id === other.contact_id;
  if (one.user_id !== null) return one.user_id === other.user_id;
  if (one.email !== null) return other.email !== null && emailKey(one.email) === emailKey(other.email);
  return one.phone === other.phone;
}
