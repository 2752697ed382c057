// Whether the kind of record that a plan is about has a field of a name.
import type { Ctx } from "../../core/context.ts";
import type { FieldErrors } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import { type CustomField, customFieldsOf, findField } from "../../records/custom_fields.ts";
import { hint } from "../../values/reasons.ts";

export interface FieldCheck {
  ctx: Ctx;
  errors: FieldErrors;
  /** The kind of record it is about. Undefined when that is not known before it runs. */
  of: Resource | undefined;
  /** It is a related record: the records that it names in turn are not read. */
  isRelated?: true;
  /** It is the record of an event that a run waits for. What the run knows is not there. */
  isAwaited?: true;
}

/** A field of the record itself. Fields beyond a relation are known only when it runs. */
export function checkKnown({ ctx, errors, of, isRelated }: FieldCheck, name: unknown, at: string): void {
  if (typeof name !== "string" || of === undefined || customOf(ctx, of, name) !== undefined) return;
  const [first = "", ...beyond] = name.split(".");
  const kinds = of.kinds?.of ?? [of];
  const known = kinds.flatMap((kind) => [...Object.keys(kind.fields), ...(isRelated ? [] : Object.keys(kind.expand ?? {}))]);
  const isNamed = !isRelated && beyond.length > 0 && kinds.some((kind) => Object.hasOwn(kind.fields, `${first}_id`));
  if ((known.includes(first) && first !== "custom") || isNamed) return;
  const named = first === "custom" && of.custom !== undefined ? [...customFieldsOf(ctx.directory, of.custom).keys()] : known;
  errors[at] = `is not a field of a ${nounOf(of)}${hint(name, named)}`;
}

export const customOf = (ctx: Ctx, of: Resource, name: string): CustomField | undefined =>
  of.custom !== undefined && name.startsWith("custom.")
    ? findField(customFieldsOf(ctx.directory, of.custom), name)?.[1]
    : undefined;

export const nounOf = (of: Resource): string => of.name.replaceAll("_", " ");
