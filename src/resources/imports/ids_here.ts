// Which ids in the samples of a table are those of records here. An export that is brought into another workspace has others.
import type { Ctx } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { madeAt } from "../../values/id.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { user } from "../organization/user.ts";

const kinds: readonly Resource[] = [lead, contact, opportunity];

/** The columns without the ids that name nothing here. */
export async function withKnownIds<C extends { samples: readonly string[] }>(ctx: Ctx, columns: readonly C[]): Promise<C[]> {
  const samples = columns.flatMap((one) => one.samples);
  const known = new Set<string>();
  for (const of of kinds) {
    const ids = samples.filter((one) => madeAt(of.prefix, one) !== null);
    const found = ids.length === 0 ? [] : await findRecords(ctx, of, [sql`t.id = any(${ids})`]);
    for (const { id } of found) known.add(id as string);
  }
  const isHere = (one: string): boolean => {
    if (madeAt(user.prefix, one) !== null) return ctx.directory.get(user, one) !== undefined;
    return known.has(one) || kinds.every((of) => madeAt(of.prefix, one) === null);
  };
  return columns.map((one) => ({ ...one, samples: one.samples.filter(isHere) }));
}
