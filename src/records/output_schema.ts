// The schema of a record as it is shown, for the API description and for tests. All verbs of a resource share one; one for each
// verb took 8 MB more.
import { z } from "zod";
import type { Resource } from "../core/resource.ts";
import { docOf } from "./field_docs.ts";
import { partsOf } from "./parts.ts";

export function outputSchema(of: Resource): z.ZodType {
  let schema = kept.get(of);
  if (schema === undefined) kept.set(of, (schema = makeOutputSchema(of)));
  return schema;
}

const kept = new WeakMap<Resource, z.ZodType>();

function makeOutputSchema(of: Resource): z.ZodType {
  if (of.kinds) return z.union(of.kinds.of.map(outputSchema)).describe(of.doc);
  const shape: Record<string, z.ZodType> = {};
  for (const part of partsOf(of)) {
    if (part.kind === "custom") continue;
    const { output } = part.field;
    // What is given in one form and shown in another is one field.
    const doc = docOf(part.key, part.field) || docOf(part.key, of.fields[part.key] ?? part.field);
    const schema = doc ? output.describe(doc) : output;
    shape[part.key] = part.isOnDemand ? schema.optional() : schema;
  }
  for (const [key, field] of of.secrets) shape[key] = field.output.describe(field.doc).optional();
  return (of.custom || of.expand ? z.looseObject(shape) : z.strictObject(shape)).describe(of.doc);
}
