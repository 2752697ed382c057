// Arguments and results that several tools have.
import { z } from "zod";

export const objectType = z.string().describe("From list_object_types, such as lead or activity/note.");
export const id = z.string();
export const data = z.record(z.string(), z.unknown());
export const fields = z.array(z.string()).max(100).describe("Only these fields.");

/** A number of records that one call acts on at most. */
export const ids = z.array(z.string()).min(1).max(50);

/** What `writtenResult` answers. */
export const written = { status: z.int(), record: z.looseObject({}), dry_run: z.boolean() };
