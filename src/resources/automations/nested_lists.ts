// The versions and the runs of one workflow.
import type { Operation } from "../../core/operation.ts";
import type { Resource } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { showList } from "../../records/list.ts";
import { readList } from "../../records/list_input.ts";
import { listOperation } from "../../records/read_operations.ts";
import { getRecord } from "../../records/records.ts";
import { automationRun } from "./automation_run.ts";
import { automationVersion } from "./automation_version.ts";
import { workflow } from "./workflow.ts";

const ofOne = (of: Resource, word: string, doc: string): Operation => ({
  ...listOperation({ of, verbs: {}, permissions: "member", particulars: {} }, async (ctx, query, params) => {
    const { id } = await getRecord(ctx, workflow, params.id!);
    return showList(ctx, of, await readList(ctx, of, query, [sql`t.automation_id = ${id}`]));
  }),
  name: `automations.${word}`,
  path: `/automations/{id}/${word}/`,
  doc,
  verb: null,
});

export const listVersions = ofOne(
  automationVersion,
  "versions",
  "Lists the versions of an automation that were published, newest first.",
);
export const listRunsOf = ofOne(automationRun, "runs", "Lists the runs of an automation, those that failed first.");
