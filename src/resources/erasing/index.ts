import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { erasure } from "./erasure.ts";
import { eraseContact } from "./start_erasure.ts";

export const erasing: Operation[] = [...standard(erasure, { list: true, get: true }, "manage_organization"), eraseContact];
