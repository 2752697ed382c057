import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { downloadExport } from "./download.ts";
import { exportResource } from "./export.ts";

export const exports: Operation[] = [...standard(exportResource, { get: true }, "export"), downloadExport];
