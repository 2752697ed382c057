import type { Operation } from "../../core/operation.ts";
import { undoChangeSet } from "./undo.ts";

export const changeSets: Operation[] = [undoChangeSet];
