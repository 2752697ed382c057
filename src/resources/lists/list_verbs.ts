// The operations that lists of contacts and lists of leads have in common.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid, notFound } from "../../core/errors.ts";
import { JsonText, type Operation, operation } from "../../core/operation.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { emit } from "../../records/event.ts";
import { findRecords, getRecord, lockRecord } from "../../records/records.ts";
import { standard } from "../../records/standard.ts";
import { store } from "../../records/store.ts";
import type { contactList } from "./contact_list.ts";
import type { leadList } from "./lead_list.ts";
import type { Listed } from "./list_fields.ts";
import { addMembers, countMembers, removeAllMembers, removeMember } from "./members.ts";

type List = typeof contactList | typeof leadList;

/** The operations for one kind of list: `of` are the lists, `listed` are the records on them. */
export function listOperations(of: List, listed: Resource): Operation[] {
  const word = listed.name as Listed;
  const remove = async (ctx: Ctx, before: Row<List>): Promise<void> => {
    await removeAllMembers(ctx, word, before.id);
    await store.remove(ctx, of, [before]);
  };
  const gates = { read: "member", write: "manage_customizations", create: "member" } as const;
  return [
    ...standard(of, { list: true, create: true, update: true, delete: remove }, gates),
    adding(of, listed, word),
    removing(of, listed, word),
  ];
}

/** Adds records to a list. Returns the list, the records that exist, and those of them that were not on it. */
export async function addToList(ctx: Ctx, of: List, listed: Resource, id: string, ids: readonly string[]) {
  const list = await lockRecord(ctx, of, id);
  if (list.is_read_only) throw invalid({}, "The list is managed by its source and cannot be changed by hand.");
  const found = await findRecords(ctx, listed, [sql`t.id = any(${ids})`], sql`order by t.id for key share of t`);

  const members = found.map((row) => row.id);
  const added = await addMembers(ctx, listed.name as Listed, list.id, members);
  if (added.length > 0) emit(ctx, of, { action: "member_added", after: list, meta: { [`${listed.name}_ids`]: added } });
  return { list, members, added };
}

/** Removes a record from a list. False when it was not on it. */
export async function removeFromList(ctx: Ctx, of: List, listed: Resource, id: string, memberId: string): Promise<boolean> {
  const list = await lockRecord(ctx, of, id);
  const member = await getRecord(ctx, listed, memberId);
  if (!(await removeMember(ctx, listed.name as Listed, list.id, member.id))) return false;
  emit(ctx, of, { action: "member_removed", after: list, meta: { [`${listed.name}_ids`]: [member.id] } });
  return true;
}

const addedMax = 1000;

const adding = (of: List, listed: Resource, word: Listed) =>
  operation({
    name: `${of.name}.add_members`,
    method: "POST",
    path: `${of.path}/{id}/members/`,
    narrows: true,
    doc: `Adds ${word}s to a list. Ids that do not exist are reported.`,
    permission: "member",
    input: {
      id: z.string(),
      [`${word}_ids`]: z.array(z.string()).min(1).max(addedMax).describe(`The ${word}s, at most ${addedMax}.`),
    },
    output: z.strictObject({
      added: z.int(),
      already_members: z.int(),
      not_found: z.array(z.string()),
      member_count: z.int(),
    }),
    async run(ctx, { id, ...given }) {
      const ids = [...new Set((given as Record<string, string[]>)[`${word}_ids`])];
      const { list, members, added } = await addToList(ctx, of, listed, id as string, ids);
      const not_found = ids.filter((one) => !members.includes(one));
      const already_members = members.length - added.length;
      return { added: added.length, already_members, not_found, member_count: await countMembers(ctx, word, list.id) };
    },
  });

const removing = (of: List, listed: Resource, word: Listed) =>
  operation({
    name: `${of.name}.remove_member`,
    method: "DELETE",
    path: `${of.path}/{id}/members/{${word}_id}/`,
    doc: `Removes a ${word} from a list.`,
    permission: "member",
    scope: "write_safe",
    input: { id: z.string(), [`${word}_id`]: z.string() },
    output: z.strictObject({}),
    async run(ctx, { id, ...given }) {
      const member = (given as Record<string, string>)[`${word}_id`]!;
      if (!(await removeFromList(ctx, of, listed, id as string, member))) throw notFound();
      return new JsonText("{}");
    },
  });
