// What the generic tools take in common.
import { z } from "zod";

export const objectType = z.string().describe("From list_object_types, such as lead or activity/note.");
export const id = z.string();
export const data = z.record(z.string(), z.unknown());
export const fields = z.array(z.string()).max(100).describe("Only these fields.");
