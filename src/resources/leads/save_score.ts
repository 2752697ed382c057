// Writes the score of leads. Scoring itself is in `ai/`.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { lead } from "./lead.ts";

interface Scored {
  lead_id: string;
  score: number;
  grade: "A" | "B" | "C" | "D";
  /** The most important first. */
  reasons: string[];
}

/** With an event for each lead where something changed. Leads that the caller does not see are left out. */
export async function saveScores(ctx: Ctx, scores: readonly Scored[]): Promise<void> {
  const ids = scores.map(({ lead_id }) => lead_id);
  const locked = await findRecords(ctx, lead, [sql`t.id = any(${ids})`], sql`order by t.id for update of t`);
  const rows = new Map(locked.map((row) => [row.id, row]));
  const scored_at = ctx.now.toISOString();
  for (const { lead_id, score, grade, reasons } of scores) {
    const before = rows.get(lead_id);
    if (before !== undefined) store.update(ctx, lead, before, { score, score_grade: grade, score_reasons: reasons, scored_at });
  }
}
