// What a dry run has found so far.
import type { Import, Outcome } from "./import_rows.ts";
import { withMapped } from "./mapped_values.ts";

export type Preview = NonNullable<Import["preview"]>;

const errorsMost = 100;

export const begunPreview = (n_rows: number): Preview => ({
  status: "queued",
  n_rows,
  n_checked: 0,
  created: 0,
  updated: 0,
  skipped: 0,
  failed: 0,
  mapped_values: [],
  errors: [],
});

/** The first errors are those of the first rows, in whatever order the rows were tried. */
export function added(before: Preview, outcomes: readonly Outcome[]): Preview {
  const count = (status: Outcome["status"]) => outcomes.filter((one) => one.status === status).length;
  const errors = outcomes.flatMap(({ n, errors: own }) => own.map((one) => ({ row: n, ...one })));
  return {
    ...before,
    n_checked: before.n_checked + outcomes.length,
    created: before.created + count("created"),
    updated: before.updated + count("updated"),
    skipped: before.skipped + count("skipped"),
    failed: before.failed + count("failed"),
    mapped_values: withMapped(before.mapped_values ?? [], outcomes),
    errors: [...before.errors, ...errors].toSorted((a, b) => a.row - b.row).slice(0, errorsMost),
  };
}
