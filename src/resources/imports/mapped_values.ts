// Counts the values that were taken for a status of their kind.
import type { Import, Outcome } from "./import_rows.ts";

type Mapped = Import["mapped_values"];

const mappedMost = 200;

/** What is counted already, with what these rows had. Rows that failed or were skipped did nothing with it. */
export function withMapped(before: Mapped, outcomes: readonly Outcome[]): Mapped {
  const taken = outcomes.flatMap(({ status, taken: own }) => (status === "created" || status === "updated" ? (own ?? []) : []));
  if (taken.length === 0) return before;
  const counted = new Map(before.map((one) => [keyOf(one), { ...one }]));
  for (const one of taken) {
    const known = counted.get(keyOf(one));
    if (known !== undefined) known.n_rows++;
    else if (counted.size < mappedMost) counted.set(keyOf(one), { ...one, n_rows: 1 });
  }
  return [...counted.values()];
}

const keyOf = ({ column, value, status_id }: Pick<Mapped[number], "column" | "value" | "status_id">): string =>
  JSON.stringify([column, value, status_id]);
