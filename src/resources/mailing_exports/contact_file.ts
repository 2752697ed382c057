// Writes the contacts of an export to a CSV file, as they are at one moment and as the export's author sees them.
import type { Actor, Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { requestOf } from "../../jobs/claims.ts";
import type { Job } from "../../jobs/job.ts";
import { readingAtOnce } from "../../records/acting.ts";
import { csv, mediaTypes, type Rows } from "../exports/table.ts";
import { keepOwn } from "../files/store_file.ts";
import type { Keeper, KeptBytes } from "../files/stored_bytes.ts";
import { erasingsDone } from "../shared/erased_since.ts";
import { pushedItems } from "./items.ts";
import { companiesOf, peopleOf, recipientOf } from "./recipients.ts";

const columns = ["email", "first_name", "last_name", "title", "company", "contact_id", "lead_id"] as const;
const pageSize = 1000;

export const keeperOf = ({ db, settings }: Core, { organization_id }: Job): Keeper => ({ db, settings, organization_id });

/** The bytes, and how many people had been erased. */
export const writeFile = (core: Core, actor: Actor, job: Job, { id }: { id: string }): Promise<[KeptBytes, number]> =>
  readingAtOnce(core, actor, requestOf(job), async (ctx) => {
    const erased = await erasingsDone(ctx);
    return [await keepOwn(keeperOf(core, job), csv(columns, rowsOf(ctx, id)), mediaTypes.csv), erased];
  });

async function* rowsOf(ctx: Ctx, exportId: string): Rows {
  for (let after = 0; ; ) {
    const items = await pushedItems(ctx, exportId, after, pageSize);
    if (items.length === 0) return;
    const people = await peopleOf(ctx, items);
    const companies = await companiesOf(ctx, [...people.values()]);
    yield items.flatMap(({ contact_id, address }) => {
      const person = people.get(contact_id);
      if (person === undefined) return [];
      const recipient = recipientOf(person, address!, companies.get(person.lead_id) ?? null);
      return [columns.map((column) => recipient[column])];
    });
    after = items.at(-1)!.ord;
  }
}
