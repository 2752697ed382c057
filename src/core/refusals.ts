// What the database refuses is the caller's mistake where a key or a check says so; constraints are named after their fields.
import { invalid, type Problem } from "./errors.ts";
import type { Registry } from "./registry.ts";

interface DatabaseError extends Error {
  code?: string;
  constraint?: string;
  table?: string;
  detail?: string;
}

/** A 400 that names the field for a refused key or value; any other error as it is. */
export function asRefusal(error: unknown): unknown {
  const { code, constraint = "", table = "", detail = "" } = error as DatabaseError;
  if (code === undefined) return error;
  const field = fieldOf(constraint, table);
  if (code === "23505") return invalid({ [field]: "is already used" });
  if (code === "23503") {
    const stillUsed = /is still referenced/.test(detail);
    return stillUsed
      ? invalid({}, "It is still used by other records: change or delete those first.")
      : invalid({ [field]: "does not exist" });
  }
  if (code === "23514") return invalid({ [field]: "is not an acceptable value" });
  // Class 22: a value the database cannot hold, such as a number out of range.
  if (code.startsWith("22")) return badValue();
  return error;
}

/** True where the database refused the id of a record that the directory keeps. */
export function isOfDirectory(registry: Registry, error: unknown): boolean {
  const { code, constraint = "", table = "" } = error as DatabaseError;
  if (code !== "23503") return false;
  const field = fieldOf(constraint, table);
  const target = registry.resources.find((one) => one.table === table && one.fields[field]?.ref)?.fields[field].ref.to;
  return target !== undefined && registry.resource(target)?.cached === true;
}

const badValue = (): Problem => invalid({}, "A value in the request is not acceptable.");

// `lead_owner_id_fkey` on `lead` is about `owner_id`.
function fieldOf(constraint: string, table: string): string {
  return constraint.replace(new RegExp(`^${table}_`), "").replace(/_(fkey|key|check)$/, "");
}
