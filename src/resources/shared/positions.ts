// Records whose order users choose: statuses, pipelines, line items.
import type { Ctx } from "../../core/context.ts";

/** Far more than anybody sorts by hand, and far from what the column holds. */
export const positionMax = 1_000_000;

/** The place behind all others: the default `position` of a record that is kept in the directory. */
export const atEnd =
  (resource: string) =>
  (ctx: Ctx): number =>
    behind(ctx.directory.all(resource) as unknown as { position: number }[]);

/** The place behind all of these. */
export const behind = (rows: readonly { position: number }[]): number =>
  rows.reduce((end, { position }) => Math.max(end, position + 1), 0);

/** Makes `position` free: which of the others have to stand further back, and where. What is in nobody's way stays. */
export function pushedBack<T extends { id: string; position: number }>(others: readonly T[], position: number): [T, number][] {
  const moves: [T, number][] = [];
  const behindIt = others.filter((row) => row.position >= position);
  let free = position + 1;
  for (const row of behindIt.sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1))) {
    if (row.position >= free) break;
    moves.push([row, free++]);
  }
  return moves;
}
