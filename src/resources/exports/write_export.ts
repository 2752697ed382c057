// Writes the file of an export: reads page after page, and passes on what each becomes.
import type { Ctx } from "../../core/context.ts";
import { textWith } from "../../records/list.ts";
import { type Item, layoutOf } from "./columns.ts";
import { type Export, leadsById, manyPagesOf, ofLeads, type Selected, type ShownRecord } from "./selection.ts";
import { csv, type Rows, xlsx } from "./table.ts";

/** What becomes garbage soon needs little memory. Pages that carry other records with them are smaller. */
const [pageSize, leadsSize] = [100, 50];

/** Called after each page with the number of its records. */
type Progress = (count: number) => Promise<void>;

/** The bytes of the file. Everything is read from the snapshot of `ctx`. */
export function bytesOf(ctx: Ctx, made: Export, selected: Selected, progress: Progress): AsyncIterable<Buffer> {
  if (made.format === "json" || made.format === "jsonl") return records(ctx, made, selected, progress);
  const { columns, fields, leadFields } = layoutOf(ctx, made);
  const rows = async function* (): Rows {
    for await (const page of manyPagesOf(ctx, selected, fields, pageSize)) {
      const items = await withLeads(ctx, page, leadFields);
      yield items.map((item) => columns.map(({ cell }) => cell(item)));
      await progress(page.length);
    }
  };
  const headers = columns.map(({ header }) => header);
  return made.format === "xlsx" ? xlsx(headers, rows()) : csv(headers, rows(), made.dialect);
}

async function withLeads(ctx: Ctx, page: readonly ShownRecord[], leadFields: readonly string[]): Promise<Item[]> {
  const parsed = page.map(({ text }) => JSON.parse(text) as Item["record"]);
  if (leadFields.length === 0) return parsed.map((record) => ({ record, lead: null }));
  const ids = [...new Set(parsed.map(({ lead_id }) => lead_id as string))];
  const leads = await leadsById(ctx, ids, leadFields);
  return parsed.map((record) => ({ record, lead: leads.get(record.lead_id as string) ?? null }));
}

/** A list of records, or one record for each line. */
async function* records(ctx: Ctx, made: Export, selected: Selected, progress: Progress): AsyncGenerator<Buffer> {
  const isList = made.format === "json";
  const within = partsOf(made);
  const fields = made.fields ?? (made.include_smart_fields ? selected.of.shown.map(([key]) => key) : null);
  let isFirst = true;
  if (isList) yield Buffer.from("[\n");
  for await (const page of manyPagesOf(ctx, selected, fields, within.length > 0 ? leadsSize : pageSize)) {
    const texts = within.length > 0 ? await withParts(ctx, page, within) : page.map(({ text }) => text);
    const text = texts.join(isList ? ",\n" : "\n");
    yield Buffer.from(isList ? `${isFirst ? "" : ",\n"}${text}` : `${text}\n`);
    isFirst = false;
    await progress(page.length);
  }
  if (isList) yield Buffer.from("\n]\n");
}

/** Leads as records come with their people and deals. */
function partsOf({ type, fields, include_activities, include_custom_objects }: Export): [key: string, kind: string][] {
  if (type !== "leads") return [];
  const always: [string, string][] = [
    ["contacts", "contact"],
    ["opportunities", "opportunity"],
  ];
  return [
    ...(fields === null ? always : []),
    ...(include_activities ? ([["activities", "activity"]] as [string, string][]) : []),
    ...(include_custom_objects ? ([["custom_objects", "custom_object"]] as [string, string][]) : []),
  ];
}

async function withParts(ctx: Ctx, page: readonly ShownRecord[], within: readonly [string, string][]): Promise<string[]> {
  const ids = page.map(({ id }) => id);
  const found: [string, Map<string, string[]>][] = [];
  for (const [key, kind] of within) found.push([key, await ofLeads(ctx, kind, ids)]);
  return page.map(({ id, text }) => textWith(text, found.map(([key, of]) => `,"${key}":[${of.get(id)!.join(",")}]`).join("")));
}
