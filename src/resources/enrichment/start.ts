// Starts an enrichment. A record has one at a time: who asks meanwhile is answered with it.
import type { Ctx } from "../../core/context.ts";
import { paymentRequired } from "../../core/errors.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { findRecords, getRecord } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { creditsUsedUp, hasCredit } from "./credits.ts";
import { enrichment, type Provider } from "./enrichment.ts";
import { enrichmentJobs } from "./enrichment_jobs.ts";
import { fieldsOf } from "./found.ts";
import { connectedAccount } from "./people_data_labs.ts";

export type Enrichment = Row<typeof enrichment>;
export type Kind = keyof typeof fieldsOf;

export const kinds: Readonly<Record<Kind, Resource>> = { lead, contact };

export interface Wanted {
  provider?: Provider | null;
  /** Null for all. */
  fields?: readonly string[] | null;
  overwrite?: boolean;
}

/** A lead's contacts follow once the lead is done. */
export async function startEnrichment(
  ctx: Ctx,
  kind: Kind,
  id: string,
  wanted: Wanted,
): Promise<{ row: Enrichment; isNew: boolean }> {
  const record = await getRecord(ctx, kinds[kind], id);
  await lockToChange(ctx, kinds[kind], sql`t.id = ${id}`);
  const [live] = await findRecords(ctx, enrichment, [sql`t.object_id = ${id}`, isLive]);
  if (live !== undefined) return { row: live, isNew: false };

  const provider = await providerFor(ctx, wanted.provider ?? null);
  const row = store.insert(ctx, enrichment, {
    object_type: kind,
    object_id: id,
    lead_id: kind === "lead" ? id : (record as Row<typeof contact>).lead_id,
    contact_id: kind === "contact" ? id : null,
    provider,
    requested_fields: wanted.fields == null ? null : [...new Set(wanted.fields)],
    overwrite: wanted.overwrite === true,
    origin: ctx.meta,
  });
  wake(ctx, enrichmentJobs, [row.id]);
  return { row, isNew: true };
}

const isLive = sql`t.status in ('queued', 'running')`;

/** A provider is asked where one is connected, unless the caller says otherwise. */
async function providerFor(ctx: Ctx, named: Provider | null): Promise<Provider> {
  if (named === "internal") return named;
  const connected = await connectedAccount(ctx);
  if (connected === null && named === null) return "internal";
  if (connected === null)
    throw paymentRequired("People Data Labs is not connected: an admin can store its credentials, and `internal` needs none");
  if (!(await hasCredit(ctx))) throw paymentRequired(`${creditsUsedUp}; \`"provider": "internal"\` needs none`);
  return "peopledatalabs";
}

/** So many contacts of a lead are looked up with it. */
const contactsMost = 200;

/** The same for the contacts of a lead, the oldest first. Returns the ids of those that were started. */
export async function startForContacts(ctx: Ctx, of: Enrichment): Promise<string[]> {
  const own: readonly string[] = fieldsOf.contact;
  const requested_fields = of.requested_fields?.filter((field) => own.includes(field)) ?? null;
  if (requested_fields?.length === 0) return [];
  const idle = sql`not exists (select from enrichment e where e.organization_id = ${ctx.organization_id} and e.object_id = t.id
    and e.status in ('queued', 'running'))`;
  const people = await findRecords(
    ctx,
    contact,
    [sql`t.lead_id = ${of.object_id}`, idle],
    sql`order by t.id limit ${contactsMost}`,
  );
  if (people.length === 0) return [];
  const { lead_id, provider, overwrite, origin } = of;
  const common = { object_type: "contact", lead_id, provider, overwrite, origin, requested_fields } as const;
  const rows = await store.insertAll(
    ctx,
    enrichment,
    people.map(({ id }) => ({ ...common, object_id: id, contact_id: id })),
  );
  const ids = rows.map(({ id }) => id);
  wake(ctx, enrichmentJobs, ids);
  return ids;
}
