// The order of a search: up to three fields, custom and computed ones too.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import type { OrderKey } from "../../core/search.ts";
import { readOrder, untied } from "../../records/order.ts";
import { type FieldReference, fieldReference } from "../../search/nodes.ts";
import { orderBy } from "../../search/order.ts";
import { objectTypeOf } from "../../search/relations.ts";
import { refuse, subjectOf, unknownField } from "../../search/subject.ts";

const direction = z.enum(["asc", "desc"]);
const sortEntry = z.union([z.string().min(1), z.strictObject({ direction: direction.default("asc"), field: fieldReference })], {
  error: 'must be a field such as "-date_created", or {"direction", "field"}',
});

export const sortInput = z.union([z.string(), z.array(sortEntry).max(3)], {
  error: 'must be at most three fields, each such as "-date_created" or {"direction": "asc" or "desc", "field": {…}}',
});

/** Newest first by default. Errors name places below `sort`. */
export function readSort(ctx: Ctx, of: Resource, given: z.output<typeof sortInput> | undefined): readonly OrderKey[] {
  const entries =
    typeof given === "string"
      ? given
          .split(",")
          .map((one) => one.trim())
          .filter((one) => one !== "")
      : (given ?? []);
  if (entries.length === 0) return readOrder(of, "-date_created", ctx);
  if (entries.length > 3) throw invalid({ sort: "must have 3 fields or fewer" });
  return untied(
    entries.map((entry, i) => {
      const { field, descending } =
        typeof entry === "string"
          ? shorthand(entry)
          : { field: fieldOf(of, entry.field, i), descending: entry.direction === "desc" };
      return (
        orderBy(ctx, of, field, descending) ?? refuse(`sort.${i}`, `${field} ${unknownField(subjectOf(ctx, of, "t"), field)}`)
      );
    }),
  );
}

const shorthand = (entry: string) => ({ field: entry.replace(/^-/, ""), descending: entry.startsWith("-") });

function fieldOf(of: Resource, field: FieldReference, i: number): string {
  if (field.type === "custom_field") return `custom.${field.custom_field_id}`;
  if (field.object_type !== null && field.object_type !== objectTypeOf(of))
    refuse(`sort.${i}.field.object_type`, `must be ${objectTypeOf(of)}`);
  return field.field_name;
}
