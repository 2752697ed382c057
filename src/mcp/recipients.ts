// Whether an agent may send, and to whom. Text in records was written by others and may tell it to send elsewhere, so without the widest
// scope a tool sends only to people whom the workspace knew before: its contacts, and its members. A message is looked at as it was
// written, in its transaction, because whom it goes to may follow from its contact.
import { type Ctx, read } from "../core/context.ts";
import { invalid, Problem } from "../core/errors.ts";
import type { Operation } from "../core/operation.ts";
import type { Around } from "../core/perform.ts";
import { listedIn } from "./listed_in.ts";

/** What sends, and what sends later by the steps of a sequence, whose words a person wrote. */
const sending = /^(activity_(email|sms|channel_message)\.(create|update)|conversation\.message)$/;
const enrolling = "sequence_subscription.create";
const leaving = new Set(["outbox", "scheduled"]);
const places = ["to", "cc", "bcc", "remote_phone", "contact_id", "status"] as const;

/** Put around a write of a tool. */
export const toKnownPeople: Around = async (ctx, { operation, given }, act) => {
  const isSending = sending.test(operation.name) && isAboutSending(operation, given.body);
  if (ctx.actor.scopes.has("write_destructive") || (!isSending && operation.name !== enrolling)) return act();
  const answered = await act();
  const message = JSON.parse(answered.body as string) as Record<string, any>;
  if (operation.name !== enrolling && !leaving.has(message.status)) return answered;
  checkMaySend(ctx);
  if (isSending) await checkRecipients(ctx, message);
  return answered;
};

/** A message that was addressed before, and is only reworded, goes where a person sent it. */
const isAboutSending = ({ verb }: Operation, body: object): boolean =>
  verb !== "update" || places.some((place) => Object.hasOwn(body, place));

/** An admin may keep sending for the widest scope. */
function checkMaySend({ directory, organization_id }: Ctx): void {
  const { settings } = directory.find("organization", organization_id) as { settings: { mcp?: Record<string, unknown> } };
  if (settings.mcp?.require_destructive_for_send === true)
    throw new Problem(
      403,
      "In this workspace tools send only with the scope write_destructive. A draft can be written without it.",
    );
}

async function checkRecipients(ctx: Ctx, message: Record<string, any>): Promise<void> {
  for (const place of ["to", "cc", "bcc"])
    for (const [i, one] of [message[place] ?? []].flat().entries())
      if (!(await isKnown(ctx, "email", addressIn(String(one))))) refuse(`${place}.${i}`);
  const { remote_phone: phone, contact_id } = message;
  if (typeof phone === "string" && !(await isKnown(ctx, "phone", phone))) refuse("remote_phone");
  if (typeof contact_id === "string" && (await addedBy(ctx, [contact_id], null)).size > 0) refuse("contact_id");
}

function refuse(place: string): never {
  throw invalid({
    [place]:
      "was nobody's here before this key or connection added it: without the scope write_destructive it can only be a draft, for a person to send",
  });
}

const addressIn = (written: string): string => (/<([^<>]+)>\s*$/.exec(written)?.[1] ?? written).trim().toLowerCase();

const contactsRead = 25;

async function isKnown(ctx: Ctx, filter: "email" | "phone", value: string): Promise<boolean> {
  if (value === "") return false;
  if (filter === "email" && ctx.directory.all("user").some(({ email }) => String(email).toLowerCase() === value)) return true;
  const list = ctx.registry.operation("contact.list")!;
  const query = { [filter]: value, _limit: String(contactsRead), _fields: "id" };
  const ids = (await listedIn(ctx, list, { query })).map(({ id }) => id as string);
  const added = await addedBy(ctx, ids, value);
  return ids.some((id) => !added.has(id));
}

/**
 * The contacts that this key, or this application of the person, made within a day, or gave the address. An agent that was told to send
 * to somebody may have been told to add them first.
 */
async function addedBy(ctx: Ctx, ids: readonly string[], address: string | null): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { api_key_id, oauth, user_id } = ctx.actor;
  const rows = await read(ctx, {
    name: "recipients.added",
    text: `select distinct object_id from event
           where organization_id = $1 and object_id = any($2) and object_type = 'contact'
             and date_created > $3::timestamptz - interval '24 hours'
             and (api_key_id = $4 or (oauth_client_id = $5 and user_id = $6))
             and (action = 'created'
               or ($7::text is not null and changed_fields && '{emails,phones}' and strpos(lower(previous_data::text), $7) = 0))`,
    values: [ctx.organization_id, ids, ctx.now, api_key_id, oauth?.client_id ?? null, user_id, address],
  });
  return new Set(rows.map(([id]) => id!));
}
