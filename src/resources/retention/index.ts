import type { Operation } from "../../core/operation.ts";
import { previewRetention } from "./preview.ts";

export const retentions: Operation[] = [previewRetention];
