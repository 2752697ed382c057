import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { cancelMailingExport } from "./cancel.ts";
import { listItems } from "./list_items.ts";
import { mailingExport } from "./mailing_export.ts";
import { listPlatforms } from "./platforms.ts";
import { resumeMailingExport } from "./resume.ts";
import { createMailingExport } from "./start_mailing_export.ts";

export const mailingExports: Operation[] = [
  ...standard(mailingExport, { list: true, get: true }, "export"),
  createMailingExport,
  cancelMailingExport,
  resumeMailingExport,
  listPlatforms,
  listItems,
];
