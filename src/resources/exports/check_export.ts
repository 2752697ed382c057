// Checks an export before it is stored.
import type { Ctx } from "../../core/context.ts";
import { below, type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import type { Create, Resource, Values } from "../../core/resource.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { readList } from "../../records/list_input.ts";
import { type GivenSelection, readSelection } from "../shared/selection.ts";
import type { exportResource } from "./export.ts";

type Given = Create<typeof exportResource> & Pick<GivenSelection, "s_query" | "query">;

/** The values to store for an export of leads. Without a query, it contains all of them. */
export async function checkLeadExport(ctx: Ctx, { params: _, ...given }: Given): Promise<Values<typeof exportResource>> {
  const { type = "leads", s_query, query } = given;
  if (type === "opps") throw invalid({ type: "must be one of leads, contacts, lead_opps" });
  checkJsonOnly(given);
  const selection = s_query || query ? await readSelection(ctx, named(ctx, "lead"), { s_query, query }) : null;
  const rows = { leads: "lead", contacts: "contact", lead_opps: "opportunity" }[type];
  checkFields(ctx, [named(ctx, "lead"), named(ctx, rows)], given.fields);
  return { ...given, type, object_type: "lead", s_query: selection?.s_query ?? null, query: selection?.query ?? null };
}

/** The values to store for an export of opportunities. */
export async function checkOpportunityExport(ctx: Ctx, given: Given): Promise<Values<typeof exportResource>> {
  const { type = "opps", s_query, query, params = {}, ...values } = given;
  if (type !== "opps") throw invalid({ type: "must be opps" });
  if (s_query || query)
    throw invalid({ [s_query ? "s_query" : "query"]: "works for leads only: send params, the filters of /opportunity/" });
  checkJsonOnly(given);
  await below("params", () => readList(ctx, named(ctx, "opportunity"), params));
  checkFields(ctx, [named(ctx, "opportunity")], given.fields);
  return { ...values, type, params, object_type: "opportunity" };
}

function checkJsonOnly({ format = "csv", include_activities, include_custom_objects }: Given): void {
  const errors: FieldErrors = {};
  if (format === "csv" && include_activities) errors.include_activities = "needs the format json";
  if (format === "csv" && include_custom_objects) errors.include_custom_objects = "needs the format json";
  refuse(errors);
}

function checkFields(ctx: Ctx, resources: readonly Resource[], fields: readonly string[] | null | undefined): void {
  if (!fields) return;
  const known = new Set(
    resources.flatMap((of) => [...of.shown.map(([key]) => key), ...customFieldsOf(ctx.directory, of.custom ?? "").keys()]),
  );
  const unknown = fields.findIndex((field) => !known.has(field));
  if (unknown >= 0) throw invalid({ [`fields.${unknown}`]: "is not a field of the exported records" });
}

const named = (ctx: Ctx, name: string): Resource => ctx.registry.resource(name)!;
