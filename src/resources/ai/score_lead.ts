// `POST /ai/score_lead/`: how well leads fit the organization's ideal customer. Rules alone decide, also where a model is configured.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { saveScores } from "../leads/save_score.ts";
import { organizationOf } from "../organization/organization.ts";
import { rubric } from "../organization/rubric.ts";
import { defaultRubric } from "./default_rubric.ts";
import { fieldsOf, grades, type Rubric, type Score, scoreOf, tiers } from "./scoring.ts";
import { shownLeads } from "./shown_leads.ts";

interface LeadScore extends Score {
  lead_id: string;
  rubric_source: "organization" | "default";
}

const shown = {
  lead_id: z.string(),
  score: z.int().min(0).max(100),
  grade: z.enum(grades),
  tier: z.enum(tiers),
  breakdown: z.array(
    z.strictObject({
      criterion: z.string(),
      weight: z.number(),
      points: z.number(),
      max_points: z.number(),
      matched: z.boolean(),
      reason: z.string(),
    }),
  ),
  rubric_source: z.enum(["organization", "default"]).describe("`default` while `settings.icp.rubric` is empty."),
};

export const scoreLead = operation({
  name: "ai.score_lead",
  method: "POST",
  path: "/ai/score_lead/",
  doc: "Scores a lead from 0 to 100 by the rubric in `settings.icp.rubric`, with a reason for each criterion. With `lead_ids` it scores up to 100 leads and answers `data`.",
  permission: "member",
  group: "ai",
  input: {
    lead_id: z.string().optional().describe("The lead."),
    lead_ids: z.array(z.string()).min(1).max(100).optional().describe("Leads, instead of `lead_id`."),
    save: z.boolean().default(true).describe("Writes the score to the lead; `false` only answers it."),
  },
  output: z.union([z.strictObject(shown), z.strictObject({ data: z.array(z.strictObject(shown)) })]),
  async run(ctx, { lead_id, lead_ids, save }) {
    if ((lead_id === undefined) === (lead_ids === undefined)) throw invalid({ lead_id: "is needed, or lead_ids instead of it" });
    const scores = await scoreLeads(ctx, lead_ids ?? [lead_id!], lead_ids ? "lead_ids" : "lead_id");
    if (save) await saveAll(ctx, scores);
    return lead_ids ? { data: scores } : scores[0];
  },
});

/** The scores of these leads, each once. `place` names the field of a lead that does not exist. */
async function scoreLeads(ctx: Ctx, ids: readonly string[], place: string): Promise<LeadScore[]> {
  const { rubric: by, rubric_source } = rubricOf(ctx);
  const leads = await shownLeads(ctx, [...new Set(ids)], fieldsOf(by), place);
  return leads.map((one) => ({ lead_id: one.id, ...scoreOf(by, one, ctx.now), rubric_source }));
}

/** The organization's, or else the usual one. */
export function rubricOf(ctx: Ctx): Pick<LeadScore, "rubric_source"> & { rubric: Rubric } {
  const settings = organizationOf(ctx.directory).settings as { icp?: { rubric?: unknown } };
  // What an older version saved may lack a member that has a default now.
  const own = rubric.safeParse(settings.icp?.rubric);
  return own.success ? { rubric: own.data, rubric_source: "organization" } : { rubric: defaultRubric, rubric_source: "default" };
}

/** Writes each score to its lead, with its reasons. */
const saveAll = (ctx: Ctx, scores: readonly LeadScore[]): Promise<void> =>
  saveScores(
    ctx,
    scores.map(({ breakdown, ...rest }) => ({
      ...rest,
      reasons: reasonsOf(breakdown),
    })),
  );

/** Those that gave most first. */
export const reasonsOf = (breakdown: LeadScore["breakdown"]): string[] =>
  breakdown.toSorted((a, b) => b.points - a.points).map(inWords);

const inWords = ({ criterion, points, max_points, reason }: LeadScore["breakdown"][number]): string =>
  `${criterion}: ${points} of ${max_points}. ${reason}`.slice(0, 500).toWellFormed();
