// Turns violations of keys and checks into a 400 that names the field. Constraints are named after their fields.
import { invalid, type Problem } from "../core/errors.ts";

interface DatabaseError extends Error {
  code?: string;
  constraint?: string;
  table?: string;
  detail?: string;
}

/** A 400 that names the field of a refused key or value; any other error unchanged. */
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

/** The reference whose record does not exist; null if the error has another reason. */
export function missingReference(error: unknown): { table: string; field: string } | null {
  const { code, constraint = "", table = "" } = error as DatabaseError;
  return code === "23503" ? { table, field: fieldOf(constraint, table) } : null;
}

const badValue = (): Problem => invalid({}, "A value in the request is not acceptable.");

// `lead_owner_id_fkey` on `lead` is about `owner_id`, and `lead_pkey` about `id`.
function fieldOf(constraint: string, table: string): string {
  const own = constraint.replace(new RegExp(`^${table}_`), "");
  return own === "pkey" ? "id" : own.replace(/_(fkey|key|check)$/, "");
}
