// The verbs of file subtypes.
import { randomBytes } from "node:crypto";
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { store } from "../../records/store.ts";
import { placeBehind } from "../shared/positions.ts";
import { fileSubtype } from "./file_subtype.ts";

type FileSubtype = Row<typeof fileSubtype>;

/** The key is a slug of the label, which a body may also call `name`. */
export async function createFileSubtype(ctx: Ctx, given: Create<typeof fileSubtype>): Promise<FileSubtype> {
  const { name, ...values } = given;
  const label = values.label ?? name;
  if (label == null || label.trim() === "") throw invalid({ label: "is required" });
  const key = values.key ?? slugOf(name ?? label);
  const position = values.position ?? (await placeBehind(ctx, fileSubtype));
  return store.insert(ctx, fileSubtype, { ...values, position, label, key });
}

/** `Case study` → `case_study`. A label without Latin letters gets a random key. */
function slugOf(label: string): string {
  const slug = label
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .slice(0, 64)
    .replace(/^_+|_+$/g, "");
  return slug === "" ? `subtype_${randomBytes(4).toString("hex")}` : slug;
}

export async function deleteFileSubtype(ctx: Ctx, before: FileSubtype): Promise<void> {
  if (before.is_system) throw invalid({}, "A subtype that every organization has cannot be deleted.");
  // In use by any file, even of a lead that the caller cannot see.
  const [used] = await query(
    ctx,
    statement(sql`select 1 from file where organization_id = ${ctx.organization_id} and subtype = ${before.key} limit 1`),
  );
  if (used !== undefined) throw invalid({}, "It is still used by a file: change or delete the file first.");
  await store.remove(ctx, fileSubtype, [before]);
}
