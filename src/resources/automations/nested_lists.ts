// Lists the automations of a generation, and the versions and runs of one automation of either.
import { type Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Operation } from "../../core/operation.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { showList } from "../../records/list.ts";
import { readList } from "../../records/list_input.ts";
import { type ListVerb, listOperation } from "../../records/read_operations.ts";
import { getRecord } from "../../records/records.ts";
import { isId } from "../../values/id.ts";
import { automationRun } from "./automation_run.ts";
import { automationVersion } from "./automation_version.ts";
import { rule } from "./rule.ts";
import { workflow } from "./workflow.ts";

/** Automations of the second generation, unless the request asks for rules, which can be read here as well. */
export const listGeneration: ListVerb = async (ctx, query) => {
  const { generation, generation__in } = query;
  const asked = new Set((generation__in ?? generation ?? "2").split(",").map((one) => one.trim()));
  if (asked.has("1") && asked.size > 1)
    throw invalid({ generation__in: "must be 1 or 2: the two generations are not listed together" });
  const of = asked.has("1") ? rule : workflow;
  return showList(ctx, of, await readList(ctx, of, query));
};

/** The automation of either generation with this id. */
export const getAutomation = (ctx: Ctx, id: string): Promise<Row<typeof rule> | Row<typeof workflow>> =>
  isId(rule.prefix, id) ? getRecord(ctx, rule, id) : getRecord(ctx, workflow, id);

const ofOne = (of: Resource, word: string, doc: string): Operation => ({
  ...listOperation({ of, verbs: {}, permissions: "member", particulars: {} }, async (ctx, query, params) => {
    const { id } = await getAutomation(ctx, params.id!);
    return showList(ctx, of, await readList(ctx, of, query, [sql`t.automation_id = ${id}`]));
  }),
  name: `automations.${word}`,
  path: `/automations/{id}/${word}/`,
  doc,
  verb: null,
});

export const listVersions = ofOne(automationVersion, "versions", "Lists the published versions of an automation, newest first.");
export const listRunsOf = ofOne(automationRun, "runs", "Lists the runs of an automation, failed ones first.");
