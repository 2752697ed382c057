// Whether an agent may send, and to whom. Text in records was written by others and may tell it to send elsewhere, so without the widest scope a tool
// sends only to people whom the workspace knows: its contacts, and its members.
import { invalid, Problem } from "../core/errors.ts";
import type { Operation } from "../core/operation.ts";
import type { Asked, ToolCall } from "./tool.ts";

const kinds = ["activity_email", "activity_sms", "activity_channel_message"];
const leaving = new Set(["outbox", "scheduled"]);
const places = ["to", "cc", "bcc", "remote_phone", "status"] as const;

/** What sends later: by the steps of a sequence, or as an answer in a conversation. */
const sendingLater = new Set(["sequence_subscription.create", "conversation.message"]);

/** Refuses a message that is to leave and names a recipient whom nobody here knows. Whom it goes to by default is known. */
export async function checkRecipients(call: ToolCall, { name, verb }: Operation, { params, body = {} }: Asked): Promise<void> {
  if (call.actor.scopes.has("write_destructive")) return;
  if (sendingLater.has(name)) return checkMaySend(call);
  const kind = kinds.find((one) => name === `${one}.${verb}`);
  if (kind === undefined || (verb !== "create" && verb !== "update")) return;
  if (verb === "update" && !places.some((place) => Object.hasOwn(body, place))) return;
  const message = verb === "create" ? body : { ...(await call.perform(`${kind}.get`, { params })).body, ...body };
  if (!leaving.has(message.status)) return;
  await checkMaySend(call);

  for (const place of ["to", "cc", "bcc"])
    for (const [i, one] of [message[place] ?? []].flat().entries())
      if (typeof one === "string" && !(await isKnown(call, "email", addressIn(one)))) refuse(`${place}.${i}`);
  const { remote_phone: phone } = message;
  if (typeof phone === "string" && !(await isKnown(call, "phone", phone))) refuse("remote_phone");
}

/** An admin may keep sending for the widest scope. */
async function checkMaySend({ core, actor }: ToolCall): Promise<void> {
  const directory = await core.directories.of(actor.organization_id);
  const { settings } = directory.find("organization", actor.organization_id) as { settings: { mcp?: Record<string, unknown> } };
  if (settings.mcp?.require_destructive_for_send === true)
    throw new Problem(
      403,
      "In this workspace tools send only with the scope write_destructive. A draft can be written without it.",
    );
}

function refuse(place: string): never {
  throw invalid({
    [place]: "belongs to no contact here: add it to one first; only with the scope write_destructive a tool sends to anybody",
  });
}

const addressIn = (written: string): string => (/<([^<>]+)>\s*$/.exec(written)?.[1] ?? written).trim().toLowerCase();

async function isKnown({ core, actor, perform }: ToolCall, filter: "email" | "phone", value: string): Promise<boolean> {
  if (value === "") return false;
  const members = (await core.directories.of(actor.organization_id)).all("user");
  if (filter === "email" && members.some(({ email }) => String(email).toLowerCase() === value)) return true;
  const { body } = await perform("contact.list", { query: { [filter]: value, _limit: "1", _fields: "id" } });
  return body.data.length > 0;
}
