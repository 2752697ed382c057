// Starts an enrichment. A record has one at a time: who asks meanwhile is answered with it.
import type { Ctx } from "../../core/context.ts";
import { paymentRequired } from "../../core/errors.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { type Sql, sql } from "../../db/sql.ts";
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

  const provider = await chooseProvider(ctx, wanted.provider ?? null);
  const origin = isAgent(ctx) ? { ...ctx.meta, home_pages_only: true } : ctx.meta;
  const row = store.insert(ctx, enrichment, {
    object_type: kind,
    object_id: id,
    lead_id: kind === "lead" ? id : (record as Row<typeof contact>).lead_id,
    contact_id: kind === "contact" ? id : null,
    provider,
    requested_fields: wanted.fields == null ? null : [...new Set(wanted.fields)],
    overwrite: wanted.overwrite === true,
    origin,
  });
  wake(ctx, enrichmentJobs, [row.id]);
  return { row, isNew: true };
}

/** An agent that was told to carry something out could have an address visited that says it. */
const isAgent = ({ request, actor }: Ctx): boolean => request.byTool === true && !actor.scopes.has("write_destructive");

const isLive = sql`t.status in ('queued', 'running')`;

/** A provider is asked where one is connected, unless the caller says otherwise. */
export async function chooseProvider(ctx: Ctx, named: Provider | null): Promise<Provider> {
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
  const { lead_id, provider, overwrite, origin } = of;
  const people = await findRecords(ctx, contact, [sql`t.lead_id = ${lead_id}`, idle(ctx)], oldest(contactsMost));
  const started = await insertAll(ctx, "contact", people, { provider, overwrite, origin, requested_fields });
  return [...started.values()];
}

/** The same for locked records of a kind, except for those with one on its way. Returns their enrichments by the records. */
export async function startForMany(
  ctx: Ctx,
  kind: Kind,
  rows: readonly Row<Resource>[],
  { provider, fields = null, overwrite = false }: Wanted,
): Promise<Map<string, string>> {
  const ids = rows.map(({ id }) => id);
  const free = await findRecords(ctx, kinds[kind], [sql`t.id = any(${ids})`, idle(ctx)], oldest(ids.length));
  const requested_fields = fields === null ? null : [...new Set(fields)];
  const values = { provider: await chooseProvider(ctx, provider ?? null), requested_fields, overwrite, origin: ctx.meta };
  return insertAll(ctx, kind, free, values);
}

const idle = ({
  organization_id,
}: Ctx): Sql => sql`not exists (select from enrichment e where e.organization_id = ${organization_id}
  and e.object_id = t.id and e.status in ('queued', 'running'))`;

const oldest = (most: number): Sql => sql`order by t.id limit ${most}`;

type Common = Pick<Enrichment, "provider" | "requested_fields" | "overwrite" | "origin">;

async function insertAll(ctx: Ctx, kind: Kind, records: readonly Row<Resource>[], common: Common): Promise<Map<string, string>> {
  if (records.length === 0) return new Map();
  const place = ({ id, ...record }: Row<Resource>) =>
    kind === "lead" ? { lead_id: id } : { lead_id: (record as Row<typeof contact>).lead_id, contact_id: id };
  const values = records.map((one) => ({ ...common, object_type: kind, object_id: one.id, ...place(one) }));
  const rows = await store.insertAll(ctx, enrichment, values);
  wake(
    ctx,
    enrichmentJobs,
    rows.map(({ id }) => id),
  );
  return new Map(rows.map(({ id, object_id }) => [object_id, id]));
}
