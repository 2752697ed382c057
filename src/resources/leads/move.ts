// Moves a lead to another organization with everything that belongs to it.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { emit } from "../../records/event.ts";
import { carryOut, clearedFields, type Move, type Moving, planMove } from "../../records/moving.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { lockRecord, showWritten } from "../../records/records.ts";
import type { contact } from "../contacts/contact.ts";
import { leaveShares, partFromCopiesThere } from "../contacts/sharing.ts";
import { markArrivals } from "../contacts/unsubscribed_email.ts";
import type { file } from "../files/file.ts";
import { keepMovedBytes } from "../files/stored_bytes.ts";
import { enterAsMember, type Standing } from "../shared/elsewhere.ts";
import { contactTag } from "../tags/contact_tag.ts";
import { leadTag } from "../tags/lead_tag.ts";
import { withTags } from "../tags/with_tags.ts";
import { lead } from "./lead.ts";

const counted = {
  contact: "contacts",
  opportunity: "opportunities",
  task: "tasks",
  activity: "activities",
  conversation: "conversations",
  file: "files",
} as const;

const count = z.number().int();

export const moveLead = operation({
  name: "lead.move",
  method: "POST",
  path: "/lead/{id}/move/",
  doc: "Moves a lead with everything that belongs to it to another organization. Ids stay the same. Members of both organizations keep what they own. Statuses, pipelines, products, tags and custom fields are replaced by those of the same name there. Without one, a record gets the default status, and other values are cleared.",
  permission: "member",
  scope: "write_destructive",
  input: {
    id: z.string(),
    target_organization_id: z.string().describe("The destination: another organization of which you are an admin."),
  },
  output: z.strictObject({
    lead: outputSchema(lead).describe("The lead as it is in the other organization."),
    moved: z
      .looseObject(Object.fromEntries(Object.values(counted).map((word) => [word, count])))
      .describe("How many records moved with it."),
    remapped: z.strictObject({
      status_id: z.string().describe("The lead's status there."),
      opportunity_status_ids: z
        .record(z.string(), z.string())
        .describe("Statuses of opportunities here, each with the status that replaces it there."),
    }),
    kept: z
      .array(z.string())
      .describe("Fields that refer to the same member there. Fields of other records are named `record.field`."),
    matched: z
      .record(z.string(), z.record(z.string(), z.string()))
      .describe("Fields whose value was replaced by the record of the same name there: old id to new id."),
    cleared: z.array(z.string()).describe("Fields that lost their value."),
    left: z
      .record(z.string(), count)
      .describe(
        "How many did not go along, by kind: they lost what moved, such as a quote its lead, or were deleted where they cannot be without it, such as places on lists.",
      ),
  }),
  async run(ctx, { id, target_organization_id }) {
    const row = await lockRecord(ctx, lead, id);
    const there = await enterAsMember(ctx, target_organization_id, "target_organization_id", adminOfBoth);
    const move = await planMove(ctx, there, lead, row);
    const respelled = await createTagsThere(there, move);
    const people = contactsIn(move);
    await partFromCopiesThere(there, people);
    await markArrivals(
      there,
      people.map(({ after }) => after),
    );

    await carryOut(ctx, there, move);
    keepMovedBytes(
      ctx,
      filesIn(move).map(({ before }) => before.storage_key),
    );
    await leaveShares(
      ctx,
      people.filter(({ after }) => after.share_id === null).map(({ before }) => before),
    );
    const { after } = move.going[0]!;
    emit(there, lead, { action: "moved", after: after as Row<typeof lead>, meta: { moved_from: ctx.organization_id } });
    return {
      lead: JSON.parse((await showWritten(there, lead, after as Row<typeof lead>)).text),
      moved: { ...zeros, ...countsOf(move.going.slice(1)) },
      remapped: { status_id: after.status_id, opportunity_status_ids: statusesBecome(move.going) },
      kept: [...move.fates.kept],
      matched: { ...move.fates.matched, ...respelled },
      cleared: [...new Set([...move.fates.cleared, ...move.going.flatMap(clearedNames)])],
      left: move.left,
    };
  },
});

const adminOfBoth: Standing = {
  holds: (membership) => membership.role_id === "admin",
  refusal: "Only an admin of both organizations may move a lead.",
};

const contactsIn = ({ going }: Move) =>
  going.filter((one) => one.of.name === "contact") as unknown as { before: Row<typeof contact>; after: Row<typeof contact> }[];

const filesIn = ({ going }: Move) => going.filter((one) => one.of.name === "file") as unknown as { before: Row<typeof file> }[];

/**
 * Tags are names. Tags that the other organization does not have are created there, and the others take its spelling. Returns the
 * fields whose tags are spelled differently there.
 */
async function createTagsThere(there: Ctx, { going }: Move): Promise<Record<string, Record<string, string>>> {
  const respelled: Record<string, Record<string, string>> = {};
  for (const [of, tag] of [
    ["lead", leadTag],
    ["contact", contactTag],
  ] as const) {
    const rows = going.filter((one) => one.of.name === of).map((one) => one.after as unknown as { tags: string[] });
    const names = [...new Set(rows.flatMap((row) => row.tags))];
    const { tags } = await withTags(there, tag, { tags: names });
    const spelled = new Map(tags.map((name) => [name.toLowerCase(), name]));
    for (const row of rows) row.tags = [...new Set(row.tags.map((name) => spelled.get(name.toLowerCase()) ?? name))];
    const others = names.flatMap((name) => (tags.includes(name) ? [] : [[name, spelled.get(name.toLowerCase())!]]));
    if (others.length > 0) respelled[of === "lead" ? "tags" : `${of}.tags`] = Object.fromEntries(others);
  }
  return respelled;
}

const zeros = Object.fromEntries(Object.values(counted).map((word) => [word, 0]));

function countsOf(records: readonly Moving[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { of } of records) {
    const word = (counted as Record<string, string>)[of.name] ?? of.name;
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}

const statusesBecome = (going: readonly Moving[]): Record<string, string> =>
  Object.fromEntries(
    going.filter((one) => one.of.name === "opportunity").map(({ before, after }) => [before.status_id, after.status_id]),
  );

const clearedNames = (one: Moving): string[] =>
  clearedFields(one).map((field) => (one.of === lead ? field : `${one.of.name}.${field}`));
