// Requires a name. Bodies may call the name of a project or a task by other names, so it cannot simply be a required field.
import { invalid } from "../../core/errors.ts";

/** Refuses a record without a name, and one whose name shows nothing. */
export function checkName({ name }: { name?: string }, isNew: boolean): void {
  if (name === undefined && isNew) throw invalid({ name: "is required" });
  if (name?.trim() === "") throw invalid({ name: "must not be empty" });
}
