// Writes what was found on the record: empty fields are filled, and fields whose value is still the one of an earlier enrichment are
// brought up to date. What a person wrote stays, unless the enrichment may overwrite.
import { type Ctx, query } from "../../core/context.ts";
import { collect } from "../../core/errors.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { readPatch } from "../../records/input.ts";
import { updateRecord } from "../../records/records.ts";
import { same } from "../../values/same.ts";
import { united } from "../shared/contact_points.ts";
import type { Applied, Skipped } from "./enrichment.ts";
import { type Fact, fieldsOf, leastConfidence } from "./found.ts";
import { type Enrichment, type Kind, kinds } from "./start.ts";

type Values = Record<string, unknown>;

export interface Written {
  row: Record<string, any>;
  applied: Applied[];
  skipped: Skipped[];
}

/** What one value of a list is told from another by. */
const keys: Readonly<Record<string, string>> = { emails: "email", phones: "phone", urls: "url", addresses: "address_1" };

export const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** The fields that may be filled, of those that were asked for. */
export const wantedFields = (kind: Kind, { requested_fields }: Pick<Enrichment, "requested_fields">): string[] =>
  fieldsOf[kind].filter((field) => requested_fields?.includes(field) ?? true);

/** The record must be locked. */
export async function applyFacts(
  ctx: Ctx,
  of: Enrichment,
  before: Record<string, any>,
  facts: readonly Fact[],
): Promise<Written> {
  const kind: Kind = of.object_type;
  const own = await ownValues(ctx, of.object_id);
  const skipped: Skipped[] = [];
  const used = new Map<string, Fact>();
  const patch: Values = {};
  for (const field of wantedFields(kind, of)) {
    const found = facts.filter((one) => one.field === field);
    if (found.length === 0) continue;
    const fact = found.find(({ confidence }) => confidence >= leastConfidence);
    const present = before[field];
    const isOpen = isEmpty(present) || of.overwrite || (own.has(field) && same(own.get(field), present));
    const value = fact === undefined || !isOpen ? undefined : valueFor(ctx, kind, before, fact);
    if (fact === undefined) skipped.push({ field, reason: "low_confidence" });
    else if (!isOpen) skipped.push({ field, reason: "has_value" });
    else if (value === undefined) skipped.push({ field, reason: "invalid" });
    else if (!same(value, present)) {
      patch[field] = value;
      used.set(field, fact);
    }
  }
  const row: Record<string, any> = used.size === 0 ? before : await updateRecord(ctx, kinds[kind], before.id, patch);
  const applied = [...used].map(([field, { source, confidence }]) => ({
    field,
    old: before[field],
    new: row[field],
    source,
    confidence,
  }));
  return { row, applied, skipped };
}

/** As a request would store it, added to what a list has. Undefined if a request would be refused. */
function valueFor(ctx: Ctx, kind: Kind, before: Record<string, any>, { field, value }: Fact): unknown {
  const patch = collect({}, () => readPatch(ctx, kinds[kind], { [field]: value }, before as Row<Resource>) as Values);
  const key = keys[field];
  if (patch === undefined || key === undefined) return patch?.[field];
  return united<any>(before[field], patch[field] as object[], key);
}

/** The values that enrichments wrote, the newest of each field. */
async function ownValues(ctx: Ctx, objectId: string): Promise<Map<string, unknown>> {
  const rows = await query(ctx, {
    name: "enrichment.applied",
    text: `select applied from enrichment where organization_id = $1 and object_id = $2 and applied <> '[]'
           order by date_created desc, id desc limit 100`,
    values: [ctx.organization_id, objectId],
  });
  const values = rows.flatMap(([applied]) => JSON.parse(applied!) as Applied[]).reverse();
  return new Map(values.map((one) => [one.field, one.new]));
}
