import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { bulkAction } from "./bulk_action.ts";
import { bulkActionItem } from "./item.ts";
import { pauseOrResume } from "./pause.ts";
import { startDelete, startEdit, startEmail, startEnrich, startSequenceSubscription } from "./start.ts";
import { undoBulkAction } from "./start_undo.ts";

export const bulkActions: Operation[] = [
  ...standard(bulkAction, { list: true, get: true, update: pauseOrResume }, "member"),
  ...standard(bulkActionItem, { list: true }, "member"),
  startEdit,
  startDelete,
  startEmail,
  startSequenceSubscription,
  startEnrich,
  undoBulkAction,
];
