// What a reader should know of an operation before a call, derived from its definition. The description, and with it the reference, shows
// it behind the words that a person wrote: what it is for.
import type { Operation } from "../core/operation.ts";
import { canBeTried } from "../records/dry_run.ts";
import { objectTypesOf } from "../records/object_types.ts";
import { eventsLeft, ofAnyType } from "./events_left.ts";
import { purposes } from "./when_to_use.ts";

/** Paragraphs: what it is for, who may call it, and how it behaves. */
export function aboutOperation(operation: Operation): string {
  const purpose = purposes.get(operation.name) ?? recordOf(operation);
  return [purpose, accessOf(operation), behaviourOf(operation)].filter((one) => one !== "").join("\n\n");
}

/** The same for the page of a resource, which says by itself what the record is, and shows the permission, scope and rate group. */
export const purposeAndBehaviour = (operation: Operation): string[] =>
  [purposes.get(operation.name) ?? "", behaviourOf(operation)].filter((one) => one !== "");

const recordOf = ({ resource }: Operation): string => (resource === null ? "" : `\`${resource.name}\`: ${resource.doc}`);

function accessOf({ permission, scope, group, outlasts }: Operation): string {
  const who =
    permission === "member" ? "Every active member may call it" : `The caller's role needs the permission \`${permission}\``;
  const connection = outlasts ? " A connection by OAuth may not call it." : "";
  return `${who}; the key or connection needs the scope \`${scope}\`.${connection} It counts in the rate group \`${group}\`.`;
}

/** One sentence for each thing that a client can rely on, or has to mind. */
function behaviourOf(operation: Operation): string {
  const { method, verb, pastDue, previews, narrows, lasts, upload, mcp } = operation;
  const writes = method !== "GET";
  return [
    previews && "With `dry_run` it answers a preview of its own, and does nothing.",
    !previews && canBeTried(operation) && "`?dry_run=true` says what it would do, and does nothing.",
    canBeUndone(operation) &&
      "`POST /change_set/{id}/undo/` with its `x-request-id` takes it back for 30 days, as far as nobody has changed it since.",
    (verb === "update" || verb === "delete") &&
      "With the `etag` of your last read in `If-Match` it is refused when somebody has changed the record since.",
    narrows && "An unknown field of the body is always refused.",
    upload !== undefined && `A file may have ${Math.round(upload / 1_000_000)} MB.`,
    lasts && "The answer goes on until either side ends it.",
    writes && !pastDue && "While the account is past due it is refused with 402.",
    writes && pastDue && "It is served while the account is past due, too.",
    !mcp && "Agents have no tool for it.",
  ]
    .filter((one) => typeof one === "string")
    .join(" ");
}

/** What has events and is no administration. What a custom field's deletion drops does not come back. */
const canBeUndone = ({ name, verb, resource, mcp }: Operation): boolean =>
  mcp && resource !== null && resource.event !== null && name !== "custom_field.delete" && verb !== null && verb in actions;

/** The names of the events that a request may leave, or patterns of them. */
export function eventsOf({ name, resource, verb }: Operation): readonly string[] {
  const action = verb === null ? undefined : actions[verb];
  const said = eventsLeft.get(name) ?? [];
  if (resource === null || action === undefined || (action === "created" && resource.createdSilently)) return said;
  const types = ofAnyType.has(resource.name) ? [resource.name] : objectTypesOf(resource);
  return [...new Set([...types.map((type) => `${type}.${action}`), ...said])];
}

const actions: Partial<Record<NonNullable<Operation["verb"]>, string>> = {
  create: "created",
  update: "updated",
  delete: "deleted",
};
