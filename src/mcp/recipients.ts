// Whether an agent may send, and to whom. Text in records was written by others and may tell it to send elsewhere, so without the widest
// scope a tool sends only to people whom the workspace knew before: its contacts, and its members. What was written is looked at in its
// transaction, whatever wrote it, because whom it goes to may follow from its contact.
import { type Ctx, read } from "../core/context.ts";
import { invalid, Problem } from "../core/errors.ts";
import type { Around } from "../core/perform.ts";
import type { Recipient } from "../core/resource.ts";
import { listen, newRecipients } from "../records/written.ts";
import { listedIn } from "./listed_in.ts";

/** Put around a write of a tool. What was addressed before, and is only reworded, goes where a person sent it. */
export const toKnownPeople: Around = async (ctx, _call, act) => {
  if (ctx.actor.scopes.has("write_destructive")) return act();
  const written = listen(ctx);
  const answered = await act();
  for (const one of written) {
    const sending = newRecipients(one);
    if (sending === null || (!sending.isNew && sending.to.length === 0)) continue;
    checkMaySend(ctx);
    for (const recipient of sending.to) await checkRecipient(ctx, recipient);
  }
  return answered;
};

/** An admin may keep sending for the widest scope. */
function checkMaySend({ directory, organization_id }: Ctx): void {
  const { settings } = directory.find("organization", organization_id) as { settings: { mcp?: Record<string, unknown> } };
  if (settings.mcp?.require_destructive_for_send === true)
    throw new Problem(
      403,
      "In this workspace tools send only with the scope write_destructive. A draft can be written without it.",
    );
}

async function checkRecipient(ctx: Ctx, { at, is, value }: Recipient): Promise<void> {
  const isKnown =
    is === "contact"
      ? (await addedBy(ctx, [value], null)).size === 0
      : await hasAddress(ctx, is, is === "email" ? addressIn(value) : value);
  if (isKnown) return;
  throw invalid({
    [at]: "was nobody's here before this key or connection added it: without the scope write_destructive it can only be a draft, for a person to send",
  });
}

const addressIn = (written: string): string => (/<([^<>]+)>\s*$/.exec(written)?.[1] ?? written).trim().toLowerCase();

const contactsRead = 25;

async function hasAddress(ctx: Ctx, filter: "email" | "phone", value: string): Promise<boolean> {
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
 * to somebody may have been told to add them first: by itself, or by work in the background, such as an import, which is done in the
 * person's name and by no key. An import says who began it; of other such work of the person that is not told, so all of it counts.
 */
async function addedBy(ctx: Ctx, ids: readonly string[], address: string | null): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { api_key_id, oauth, user_id } = ctx.actor;
  const rows = await read(ctx, {
    name: "recipients.added",
    text: `select distinct e.object_id from event e
           where e.organization_id = $1 and e.object_id = any($2) and e.object_type = 'contact'
             and e.date_created > $3::timestamptz - interval '24 hours'
             and (e.api_key_id = $4 or (e.oauth_client_id = $5 and e.user_id = $6)
               or (e.user_id = $6 and e.api_key_id is null and e.oauth_client_id is null and e.meta->>'automation_run_id' is null
                 and (e.meta->>'import_id' is null or exists (select from event i
                   where i.organization_id = $1 and i.object_id = e.meta->>'import_id' and i.object_type = 'import'
                     and (i.api_key_id = $4 or (i.oauth_client_id = $5 and i.user_id = $6))))))
             and (e.action = 'created'
               or ($7::text is not null and e.changed_fields && '{emails,phones}' and strpos(lower(e.previous_data::text), $7) = 0))`,
    values: [ctx.organization_id, ids, ctx.now, api_key_id, oauth?.client_id ?? null, user_id, address],
  });
  return new Set(rows.map(([id]) => id!));
}
