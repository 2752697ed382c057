import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { failedRows } from "./failed_rows.ts";
import { importResource } from "./import.ts";
import { createImport, updateImport } from "./import_verbs.ts";
import { listRows } from "./list_rows.ts";
import { listPresets } from "./presets.ts";
import { withTable } from "./read_table.ts";
import { revertImport } from "./revert.ts";

export const imports: Operation[] = [
  ...standard(
    importResource,
    { list: true, get: true, create: createImport, update: updateImport },
    { read: "member", write: "bulk_import" },
    { create: withTable },
  ).map((one) => (one.verb === "update" ? { ...one, previews: true } : one)),
  listPresets,
  listRows,
  failedRows,
  revertImport,
];
