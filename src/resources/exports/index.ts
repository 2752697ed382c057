import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { downloadExport } from "./download.ts";
import { exportResource } from "./export.ts";
import { resumeExport } from "./resume.ts";
import { exportLeads, exportOpportunities } from "./start_export.ts";

export const exports: Operation[] = [
  ...standard(exportResource, { list: true, get: true }, "export"),
  exportLeads,
  exportOpportunities,
  downloadExport,
  resumeExport,
];
