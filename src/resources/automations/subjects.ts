// What a run is about where that is not the record of the event: the contact on a list and not the list, the conversation and not its
// message. The record of the event is then what came with it, as `trigger.payload`.
import { type Ctx, query } from "../../core/context.ts";
import { isId } from "../../values/id.ts";
import { fileSubtype } from "../files/file_subtype.ts";
import { contactList } from "../lists/contact_list.ts";
import { phoneNumber } from "../telephony/phone_number.ts";
import { recordById } from "./facts.ts";
import { isDeletion, type Occurrence } from "./occurrence.ts";

type Config = Record<string, any>;

/** The event, told of another record. None if that is gone. */
async function toldOf(ctx: Ctx, event: Occurrence, object_type: string, id: unknown): Promise<Occurrence[]> {
  const record = typeof id === "string" ? await recordById(ctx, id) : null;
  if (record === null) return [];
  const object_id = id as string;
  const lead_id = object_type === "lead" ? object_id : ((record.lead_id as string | null | undefined) ?? null);
  return [{ ...event, object_type, object_id, lead_id, record, previous: {}, changed_fields: [], payload: event.record }];
}

// --- lists ---

export const namesOfList = ({ list_id, change }: Config): string[] =>
  ["contact_list", "lead_list"]
    .filter((of) => isId(contactList.prefix, String(list_id)) === (of === "contact_list"))
    .map((of) => `${of}.member_${change}`);

export const isOfList = ({ list_id }: Config, { object_id }: Occurrence): boolean => object_id === list_id;

/** Each record that was added or removed. */
export async function listedRecords(ctx: Ctx, _config: Config, event: Occurrence): Promise<Occurrence[]> {
  const of = event.object_type === "contact_list" ? "contact" : "lead";
  const found: Occurrence[] = [];
  for (const id of (event.meta[`${of}_ids`] as string[] | undefined) ?? []) found.push(...(await toldOf(ctx, event, of, id)));
  return found;
}

// --- messages ---

/** The conversation of a message. Messages without one start nothing. */
export async function conversationOf(ctx: Ctx, config: Config, event: Occurrence): Promise<Occurrence[]> {
  const { channel, first_only } = config;
  const [found] = await toldOf(ctx, event, "conversation", event.record.conversation_id);
  if (found === undefined || (channel != null && !channel.includes(found.record.channel))) return [];
  return first_only === true && (await hasEarlier(ctx, found.object_id!, event.object_id!)) ? [] : [found];
}

/** Ids of messages sort by the time of their creation. */
async function hasEarlier(ctx: Ctx, conversationId: string, messageId: string): Promise<boolean> {
  const [row] = await query(ctx, {
    name: "automation.earlier_message",
    text: `select 1 where exists (select from activity where organization_id = $1 and conversation_id = $2 and id <> $3 and status <> 'draft'
             and date_created <= (select date_created from activity where organization_id = $1 and id = $3))`,
    values: [ctx.organization_id, conversationId, messageId],
  });
  return row !== undefined;
}

/** A text to one of the organization's numbers. */
export function textsTo(ctx: Ctx, { number_id }: Config, event: Occurrence): Occurrence[] {
  const isMeant = number_id == null || ctx.directory.get(phoneNumber, number_id)?.number === event.record.local_phone;
  return isMeant ? [event] : [];
}

// --- others ---

/** A file of one subtype. */
export function filesOfKind(ctx: Ctx, { subtype_id }: Config, event: Occurrence): Occurrence[] {
  const isMeant = subtype_id == null || ctx.directory.get(fileSubtype, subtype_id)?.key === event.record.subtype;
  return isMeant ? [event] : [];
}

/** The contact of a subscription to a sequence. */
export const subscribedContact = (ctx: Ctx, _config: Config, event: Occurrence): Promise<Occurrence[]> =>
  toldOf(ctx, event, "contact", event.record.contact_id);

/** The record that another automation ran for, or that was enriched. */
export async function recordOfRecord(ctx: Ctx, _config: Config, event: Occurrence): Promise<Occurrence[]> {
  const { object_type, object_id } = event.record;
  return typeof object_type === "string" && !isDeletion(event) ? toldOf(ctx, event, object_type, object_id) : [];
}
