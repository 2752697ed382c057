// Why an import leaves out a column that an export has.
import type { Ctx } from "../../core/context.ts";
import type { Field } from "../../core/field.ts";
import type { ObjectType } from "./import.ts";

/** What an export of leads has beside the leads and their people. */
const ofTheirOwn: ReadonlySet<string> = new Set(["opportunities", "activities", "custom_objects", "tasks"]);

/** For the name of a column without a target, why it has none; null where nothing is known about it. */
export function ignoredOf(ctx: Ctx, object_type: ObjectType): (name: string) => string | null {
  const of = ctx.registry.resource(object_type)!;
  const shown = new Map<string, unknown>(of.shown);
  return (name) => {
    if (object_type === "lead" && ofTheirOwn.has(name)) return "These are records of their own: they stay as they are.";
    if (!shown.has(name)) return null;
    const { mode = "read" } = of.fields[name] as Partial<Field>;
    return mode === "read" ? "Only reads show it: it stays as it is." : "An import does not write it: it stays as it is.";
  };
}
