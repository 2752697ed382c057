// Lets bodies name a status or another small record by its label instead of its id.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { same } from "../../values/same.ts";

/** The id for `label`. 400 on `place` when there is none, or when `alsoGiven` was sent too. */
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
 * Refuses an id and its label in one body, or two names of one thing, when they disagree. Reads show both, so a value that was
 * sent back unchanged (`before`) is ignored: a client that writes a whole record back has changed the other one.
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
