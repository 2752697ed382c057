// Checks an export before it is stored.
import type { Ctx } from "../../core/context.ts";
import { below, type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import type { Create, Resource, Values } from "../../core/resource.ts";
import { readList } from "../../records/list_input.ts";
import { notAmong } from "../../values/reasons.ts";
import { readSort } from "../search/sort.ts";
import { type GivenSelection, readSelection } from "../shared/selection.ts";
import { namesOf } from "./columns.ts";
import type { exportResource } from "./export.ts";
import { rowKinds } from "./selection.ts";

type Given = Create<typeof exportResource> & Pick<GivenSelection, "s_query" | "query">;

/** The values to store for an export of leads. Without a query, it contains all of them. */
export async function checkLeadExport(ctx: Ctx, { params: _, ...given }: Given): Promise<Values<typeof exportResource>> {
  const { type = "leads", s_query, query } = given;
  if (type === "opps") throw invalid({ type: "must be one of leads, contacts, lead_opps" });
  checkJsonOnly(given);
  checkWriting(given);
  const selection = s_query || query ? await readSelection(ctx, named(ctx, "lead"), { s_query, query }) : null;
  readSort(ctx, named(ctx, "lead"), given.sort);
  // A table of contacts or deals may have columns of their leads.
  const isTable = given.format === undefined || given.format === "csv" || given.format === "xlsx";
  const rows = named(ctx, rowKinds[type]);
  checkFields(ctx, isTable ? [rows, named(ctx, "lead")] : [rows], given.fields);
  return { ...given, type, object_type: "lead", s_query: selection?.s_query ?? null, query: selection?.query ?? null };
}

/** The values to store for an export of opportunities. */
export async function checkOpportunityExport(ctx: Ctx, given: Given): Promise<Values<typeof exportResource>> {
  const { type = "opps", s_query, query, params = {}, ...values } = given;
  if (type !== "opps") throw invalid({ type: "must be opps" });
  if (s_query || query)
    throw invalid({ [s_query ? "s_query" : "query"]: "works for leads only: send params, the filters of /opportunity/" });
  checkJsonOnly(given);
  checkWriting(given);
  if (values.sort?.length) throw invalid({ sort: "works for leads only: send params._order_by" });
  const other = Object.keys(params).find((key) => key.startsWith("_") && key !== "_order_by");
  if (other !== undefined)
    throw invalid({
      [`params.${other}`]: "is no filter: results_limit and fields of the export say how much and what is exported",
    });
  await below("params", () => readList(ctx, named(ctx, "opportunity"), params));
  checkFields(ctx, [named(ctx, "opportunity")], given.fields);
  return { ...values, type, params, object_type: "opportunity" };
}

function checkJsonOnly({ format = "csv", type, include_activities, include_custom_objects }: Given): void {
  const errors: FieldErrors = {};
  const isTable = format === "csv" || format === "xlsx";
  const needs = isTable ? "needs the format json or jsonl" : "is for exports of leads only";
  const isRefused = isTable || (type ?? "leads") !== "leads";
  if (isRefused && include_activities) errors.include_activities = needs;
  if (isRefused && include_custom_objects) errors.include_custom_objects = needs;
  refuse(errors);
}

/** What would change nothing of the file is refused. */
function checkWriting({ format = "csv", date_format = "original", timezone, dialect, compression }: Given): void {
  const errors: FieldErrors = {};
  const isTable = format === "csv" || format === "xlsx";
  if (timezone && (!isTable || date_format === "original"))
    errors.timezone = "is for tables with the date_format iso8601 or excel: other times are in UTC";
  if (format !== "csv" && Object.keys(dialect ?? {}).length > 0) errors.dialect = "needs the format csv";
  if (dialect?.decimal === "," && (dialect.delimiter ?? ",") === ",")
    errors["dialect.delimiter"] = "must be another one where decimals have commas, such as a semicolon";
  if (format === "xlsx" && compression === "gzip") errors.compression = "is not for workbooks, which are compressed";
  refuse(errors);
}

function checkFields(ctx: Ctx, resources: readonly Resource[], fields: readonly string[] | null | undefined): void {
  if (!fields) return;
  if (fields.length === 0) throw invalid({ fields: "must name at least one column" });
  const known = new Set(resources.flatMap((of) => [...namesOf(ctx, of)]));
  const unknown = fields.findIndex((field) => !known.has(field));
  if (unknown >= 0) throw invalid({ [`fields.${unknown}`]: notAmong(fields[unknown]!, [...known]) });
}

const named = (ctx: Ctx, name: string): Resource => ctx.registry.resource(name)!;
