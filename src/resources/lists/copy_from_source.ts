// Copies a list of contacts from an outside source. Copying it again adds new people.

import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid, notFound } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { emit } from "../../records/event.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { showWritten } from "../../records/records.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { notAmong } from "../../values/reasons.ts";
import { contactList } from "./contact_list.ts";
import { addMembers, countMembers } from "./members.ts";
import { type ListSource, sourcesOf } from "./sources.ts";

type List = Row<typeof contactList>;

const named = { name: z.string().trim().min(1).max(255).describe("The name of the list at its source, and of the copy.") };
const output = z.strictObject({ list: outputSchema(contactList), added: z.int(), member_count: z.int() });

export const copyFromSource = operation({
  name: "contact_list.copy_from_source",
  method: "POST",
  path: "/contact_list/copy_from_source/",
  doc: "Copies a list from a source of synced profiles: adds every contact whose profile names the list.",
  permission: "member",
  input: { ...named, source: z.string().optional().describe("The source of the list; by default the first source.") },
  output,
  status: 201,
  otherwise: { 200: "The list already existed; missing contacts were added." },
  async run(ctx, { name, source }) {
    const known = sourcesOf(ctx);
    const found = source === undefined ? known[0] : known.find((one) => one.name === source);
    if (found === undefined)
      throw invalid({
        source:
          known.length === 0
            ? "no source of lists is configured"
            : notAmong(
                source ?? "",
                known.map((one) => one.name),
              ),
      });
    return copy(ctx, found, name);
  },
});

export const copyFromLegacySource = operation({
  name: "contact_list.copy_from_named_source",
  method: "POST",
  path: "/contact_list/copy_{legacy_source}/",
  doc: "The same as `copy_from_source`, with the source in the path.",
  permission: "member",
  mcp: false,
  input: { legacy_source: z.string().describe("The source of the list."), ...named },
  output,
  status: 201,
  otherwise: { 200: "The list already existed; missing contacts were added." },
  async run(ctx, { legacy_source, name }) {
    const found = sourcesOf(ctx).find((one) => one.name === legacy_source);
    if (found === undefined) throw notFound();
    return copy(ctx, found, name);
  },
});

async function copy(ctx: Ctx, source: ListSource, name: string): Promise<unknown> {
  const present = await copyOf(ctx, source, name);
  const contacts = await source.contactsOn(ctx, present?.name ?? name);
  if (present === null && contacts.length === 0) throw invalid({ name: `does not exist in ${source.name}` });

  const made = present ?? (await store.insertNew(ctx, contactList, { name, source: source.name }));
  // Somebody else may have copied it at the same moment. Then their list is used.
  const list = made ?? (await copyOf(ctx, source, name))!;
  if (made === null || present !== null) ctx.reply.status = 200;
  const added = await addMembers(ctx, "contact", list.id, contacts);
  if (added.length > 0) emit(ctx, contactList, { action: "member_added", after: list, meta: { contact_ids: added } });
  return {
    list: JSON.parse((await showWritten(ctx, contactList, list)).text),
    added: added.length,
    member_count: await countMembers(ctx, "contact", list.id),
  };
}

/** The earlier copy, locked. Null when there is none. */
async function copyOf(ctx: Ctx, source: ListSource, name: string): Promise<List | null> {
  const [found] = await lockWhere(ctx, contactList, sql`lower(t.name) = lower(${name})`);
  if (found !== undefined && found.source !== source.name) throw invalid({ name: "is already used by another list" });
  return found ?? null;
}
