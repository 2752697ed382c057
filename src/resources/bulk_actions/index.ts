import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { bulkAction } from "./bulk_action.ts";
import { pauseOrResume } from "./pause.ts";

export const bulkActions: Operation[] = standard(bulkAction, { list: true, get: true, update: pauseOrResume }, "member");
