// All tools, in the order that agents see them.
import type { Tool } from "./tool.ts";
import { getRecord } from "./tools/get_record.ts";
import { listRecords } from "./tools/list_records.ts";

export const tools: readonly Tool[] = [listRecords, getRecord];
