// The verbs of tags. Renaming and deleting a tag changes every record that has it, in the same transaction.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Patch, Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { contactTag } from "./contact_tag.ts";
import { leadTag } from "./lead_tag.ts";

/** Tags of leads and of contacts have the same fields. */
type Tag = typeof leadTag & typeof contactTag;

/** The verbs for the tags of one kind of record. */
const verbsFor = (of: Tag, holder: Resource) => ({
  async update(ctx: Ctx, before: Row<Tag>, patch: Patch<Tag>): Promise<Row<Tag>> {
    const { name = before.name } = patch;
    if (name !== before.name) await refuseTaken(ctx, of, before, name);

    const after = store.update(ctx, of, before, patch);
    if (name !== before.name) await replaceTag(ctx, holder, before.name, [name]);
    return after;
  },

  async delete(ctx: Ctx, before: Row<Tag>): Promise<void> {
    await replaceTag(ctx, holder, before.name, []);
    await store.remove(ctx, of, [before]);
  },
});

export const leadTagVerbs = verbsFor(leadTag, lead);
export const contactTagVerbs = verbsFor(contactTag, contact);

async function refuseTaken(ctx: Ctx, of: Tag, tag: Row<Tag>, name: string): Promise<void> {
  const taken = await findRecords(ctx, of, [sql`lower(t.name) = lower(${name})`, sql`t.id <> ${tag.id}`], sql`limit 1`);
  if (taken.length > 0) throw invalid({ name: "is already used" });
}

const page = 200;

/** Replaces the tag on every record that has it, by the rules of the record, even on those that the caller cannot see. */
async function replaceTag(ctx: Ctx, holder: Resource, tag: string, replacement: readonly string[]): Promise<void> {
  let last = "";
  for (;;) {
    const rows = await lockWhere(ctx, holder, sql`t.tags @> ${[tag]}::text[] and t.id > ${last}`, page);
    // A short page does not mean the end: records that lost the tag while we waited for their lock are missing from it.
    if (rows.length === 0) return;
    const changed = rows.map((row) =>
      ctx.registry.verb(holder, "update")(ctx, row, {
        tags: (row.tags as string[]).flatMap((one) => (one === tag ? replacement : [one])),
      }),
    );
    await Promise.all(changed);
    last = rows.at(-1)!.id;
  }
}
