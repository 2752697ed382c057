// `ai.score`: how well the lead of a run fits, by rules alone.
import { customFieldsOf } from "../../../records/custom_fields.ts";
import { rubricOfWords } from "../../ai/rubric_of_words.ts";
import { reasonsOf, rubricOf } from "../../ai/score_lead.ts";
import { fieldsOf, type Rubric, scoreOf } from "../../ai/scoring.ts";
import { shownLeads } from "../../ai/shown_leads.ts";
import { saveScores } from "../../leads/save_score.ts";
import { rubric } from "../../organization/rubric.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome } from "./step.ts";

export async function scoreRecord(call: Call): Promise<Outcome> {
  const { ctx, run, config } = call;
  const { lead_id } = run;
  if (lead_id === null) throw new StepFailure("object_type_mismatch", "config", "There is no lead to score: the record has none");
  const { rubric: by, rubric_source } = ownRubric(call) ?? rubricOf(ctx);
  const [found] = await shownLeads(ctx, [lead_id], fieldsOf(by), "lead_id");
  const { score, grade, tier, breakdown } = scoreOf(by, found!, ctx.now);
  const reasons = reasonsOf(breakdown);
  if (config.save !== false) await saveScores(ctx, [{ lead_id, score, grade, reasons }]);
  return { output: { score: Math.round((score * (config.max ?? 100)) / 100), grade, tier, reasons, rubric_source } };
}

function ownRubric({ ctx, config }: Call): { rubric: Rubric; rubric_source: "step" } | null {
  if (config.rubric != null) return { rubric: rubric.parse(config.rubric), rubric_source: "step" };
  if (config.prompt == null) return null;
  return { rubric: rubricOfWords(config.prompt, customFieldsOf(ctx.directory, "lead")), rubric_source: "step" };
}
