import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { resumeShareBulk } from "./resume.ts";
import { shareBulk } from "./share_bulk.ts";
import { startShareBulk } from "./start_share_bulk.ts";

export const sharing: Operation[] = [
  ...standard(shareBulk, { list: true, get: true }, "view_all_leads"),
  startShareBulk,
  resumeShareBulk,
];
