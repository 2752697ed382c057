// The rows of an import as they are stored, and what becomes of them.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import type { importResource } from "./import.ts";
import type { CellValue } from "./table.ts";

export type Import = Row<typeof importResource>;

export interface ImportRow {
  n: number;
  cells: CellValue[];
}

export interface RowError {
  column?: string;
  error: string;
}

export const rowStates = ["pending", "created", "updated", "skipped", "failed"] as const;

/** A record that a row created or changed: its version after that, and what an update replaced. */
export interface Touched {
  of: string;
  id: string;
  version: number;
  was?: Record<string, unknown>;
  is?: Record<string, unknown>;
}

/** A value of a status column that is no status here, and the status that it is taken for. */
export interface Taken {
  column: string;
  value: string;
  target: string;
  status_id: string;
  status_label: string;
}

/** What became of a row. */
export interface Outcome {
  n: number;
  status: Exclude<(typeof rowStates)[number], "pending">;
  object_ids: string[];
  errors: RowError[];
  key: string | null;
  kept: Touched[];
  /** The values that were taken for a status of their kind. */
  taken?: readonly Taken[];
}

export const failedRow = ({ n }: ImportRow, errors: readonly RowError[]): Outcome => ({
  n,
  status: "failed",
  object_ids: [],
  errors: errors.slice(0, 20),
  key: null,
  kept: [],
});

export const skippedRow = ({ n }: ImportRow): Outcome => ({
  n,
  status: "skipped",
  object_ids: [],
  errors: [],
  key: null,
  kept: [],
});

/** The rows that are left, in their order. */
export async function nextRows(ctx: Ctx, importId: string, most: number): Promise<ImportRow[]> {
  const rows = await transactionOf(ctx).read({
    name: "import_row.next",
    text: `select n, cells from import_row where organization_id = $1 and import_id = $2 and status = 'pending' order by n limit $3`,
    values: [ctx.organization_id, importId, most],
  });
  return rows.map(([n, cells]) => ({ n: Number(n), cells: JSON.parse(cells!) }));
}

export function keepOutcomes(ctx: Ctx, importId: string, outcomes: readonly Outcome[]): void {
  write(ctx, {
    name: "import_row.done",
    text: `update import_row r set status = m.status, object_ids = m.object_ids, errors = m.errors, key = m.key, kept = m.kept,
             seeks = null, says = null
           from json_to_recordset($3::json) m(n integer, status text, object_ids text[], errors jsonb, key text, kept jsonb)
           where r.organization_id = $1 and r.import_id = $2 and r.n = m.n`,
    values: [
      ctx.organization_id,
      importId,
      JSON.stringify(outcomes.map(({ kept, taken: _, ...one }) => ({ ...one, kept: kept.length > 0 ? kept : null }))),
    ],
  });
}

/** The ids of the leads that earlier rows with these keys belong to. */
export async function leadsOfKeys(ctx: Ctx, importId: string, keys: readonly string[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const rows = await transactionOf(ctx).read({
    name: "import_row.keys",
    text: `select distinct on (key) key, object_ids[1] from import_row where organization_id = $1 and import_id = $2
             and key = any($3) and status not in ('pending', 'failed') and object_ids <> '{}' order by key, n`,
    values: [ctx.organization_id, importId, keys],
  });
  return new Map(rows.map(([key, lead_id]) => [key!, lead_id!]));
}
