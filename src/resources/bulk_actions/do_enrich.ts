// Starts enrichments for the items of a bulk action. Each is then a job of its own.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource, Row, Values } from "../../core/resource.ts";
import { fieldsOf } from "../enrichment/found.ts";
import { chooseProvider, type Kind, kinds, startForMany, type Wanted } from "../enrichment/start.ts";
import { type BulkAction, type Doing, type Done, gone, lockItems, whyRefused } from "./doing.ts";
import type { bulkEnrich } from "./enrich.ts";

export const enriching: Doing = {
  permission: "bulk_edit",
  of: (_ctx, { object_type }) => kinds[kindOf(object_type)],
  stopped: (ctx, { provider }) => whyRefused(async () => chooseProvider(ctx, provider ?? null)),
  async take(ctx, action, items) {
    const rows = await lockItems(ctx, this.of(ctx, action), items);
    const started = await startForMany(ctx, kindOf(action.object_type), [...rows.values()] as Row<Resource>[], wantedBy(action));
    return items.map(({ object_id }): Done => {
      if (!rows.has(object_id)) return gone;
      return started.has(object_id) ? { status: "succeeded" } : { status: "skipped", error: "is being looked up already" };
    });
  },
};

const kindOf = (given: string | null | undefined): Kind => (given === "contact" ? "contact" : "lead");

const wantedBy = ({ provider, fields, overwrite }: BulkAction): Wanted => ({
  provider,
  fields: fields as readonly string[] | null,
  overwrite: overwrite === true,
});

/** Refuses what each of its enrichments would be refused with. */
export async function checkEnrich(ctx: Ctx, given: Values<typeof bulkEnrich>): Promise<Values<typeof bulkEnrich>> {
  const kind = kindOf(given.object_type);
  const own: readonly string[] = kind === "contact" ? fieldsOf.contact : [...fieldsOf.lead, ...fieldsOf.contact];
  const foreign = given.fields?.filter((field) => !own.includes(field)) ?? [];
  if (foreign.length > 0) throw invalid({ fields: `${foreign.join(", ")} cannot be looked up for a ${kind}` });
  await chooseProvider(ctx, given.provider ?? null);
  return given;
}
