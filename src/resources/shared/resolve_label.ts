// Bodies may name a status or another small record by its label in place of its id.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { same } from "../../values/same.ts";

/** The id behind `label`; 400 on `place` where there is none, or where `alsoGiven` was sent beside it. */
export function idOfLabel<R extends Resource>(
  ctx: Ctx,
  of: R,
  label: string,
  place: string,
  matches: (row: Row<R>) => boolean = () => true,
): string {
  const found = ctx.directory.list(of).find((row) => (row as { label?: string }).label === label && matches(row));
  if (found === undefined) throw invalid({ [place]: "does not exist" });
  return found.id as string;
}

/**
 * Refuses an id and its label in one body, or two names of one thing that do not agree: a read shows both, saying the same. What is
 * sent back as it was `before` gives way: whoever writes a whole record back has changed the other.
 */
export function refuseBoth(
  given: Record<string, unknown>,
  id: string,
  label: string,
  before: Record<string, unknown> = {},
): void {
  const agree = same(given[id], given[label]) || same(given[id], before[id]);
  if (given[id] !== undefined && given[label] !== undefined && !agree)
    throw invalid({ [label]: `cannot be given together with ${id}` });
}
