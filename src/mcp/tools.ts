// All tools, in the order that agents see them, and the sets that a client may choose from: what it does not list costs it nothing.
import type { Tool } from "./tool.ts";
import { aggregate } from "./tools/aggregate.ts";
import { aiTools } from "./tools/ai.ts";
import { describeFields } from "./tools/describe_fields.ts";
import { getLeadOverview } from "./tools/get_lead_overview.ts";
import { getRecord } from "./tools/get_record.ts";
import { listObjectTypes } from "./tools/list_object_types.ts";
import { listRecords } from "./tools/list_records.ts";
import { mergeRecords, startBulkAction } from "./tools/many.ts";
import { runReport } from "./tools/run_report.ts";
import { search } from "./tools/search.ts";
import { undoChanges } from "./tools/undo_changes.ts";
import { workTools } from "./tools/work.ts";
import { listWorkspaces, switchWorkspace } from "./tools/workspaces.ts";
import { createRecord, deleteRecord, updateRecord } from "./tools/write_records.ts";
import { type Toolset, toolsets } from "./toolsets.ts";

const generic: readonly Tool[] = [
  createRecord,
  deleteRecord,
  describeFields,
  getRecord,
  listObjectTypes,
  listRecords,
  updateRecord,
];

const overview: readonly Tool[] = [
  getLeadOverview,
  listWorkspaces,
  mergeRecords,
  search,
  startBulkAction,
  switchWorkspace,
  undoChanges,
];

const sets = {
  core: [...generic, ...overview],
  activity: workTools,
  reports: [aggregate, runReport],
  ai: aiTools,
} satisfies Record<Toolset, readonly Tool[]>;

const tasks = [...overview, ...sets.activity, ...sets.reports, ...sets.ai];

export const tools: readonly Tool[] = [...generic, ...tasks.toSorted((a, b) => (a.name < b.name ? -1 : 1))];

const setOf = new Map(toolsets.flatMap((name) => sets[name].map((tool): [string, Toolset] => [tool.name, name])));

/** Whether a client that chose these sets has the tool. Null is all of them. */
export const isChosen = (tool: Tool, chosen: ReadonlySet<Toolset> | null): boolean =>
  chosen === null || chosen.has(setOf.get(tool.name)!);
