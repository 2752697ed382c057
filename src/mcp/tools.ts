// All tools, in the order that agents see them.
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

const generic: readonly Tool[] = [
  createRecord,
  deleteRecord,
  describeFields,
  getRecord,
  listObjectTypes,
  listRecords,
  updateRecord,
];

const tasks: readonly Tool[] = [
  ...aiTools,
  ...workTools,
  aggregate,
  getLeadOverview,
  listWorkspaces,
  mergeRecords,
  runReport,
  search,
  startBulkAction,
  switchWorkspace,
  undoChanges,
];

export const tools: readonly Tool[] = [...generic, ...tasks.toSorted((a, b) => (a.name < b.name ? -1 : 1))];
