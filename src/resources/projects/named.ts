// The name of a project or of a task has other names in bodies, so that it cannot simply be a required field.
import { invalid } from "../../core/errors.ts";

/** Refuses a record without a name, and one whose name says nothing. */
export function checkName({ name }: { name?: string }, isNew: boolean): void {
  if (name === undefined && isNew) throw invalid({ name: "is required" });
  if (name?.trim() === "") throw invalid({ name: "must not be empty" });
}
