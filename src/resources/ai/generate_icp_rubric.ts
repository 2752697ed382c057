// `POST /ai/generate_icp_rubric/`: a rubric from a description in words. It is saved by a change of the organization's settings.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { isBlank } from "../../values/blank.ts";
import { rubric } from "../organization/rubric.ts";
import { helpedByModel } from "./ask_model.ts";
import { modelInput, modelOutput } from "./model_fields.ts";
import { rubricIn, rubricTask } from "./rubric_by_model.ts";
import { rubricOfWords, unusedWords } from "./rubric_of_words.ts";

const described = z.string().max(5000);

export const generateIcpRubric = operation({
  name: "ai.generate_icp_rubric",
  method: "POST",
  path: "/ai/generate_icp_rubric/",
  doc: "Turns a description of the ideal customer into a rubric for scoring. Nothing is saved: send `rubric` as `settings.icp.rubric` of the organization to use it.",
  permission: "member",
  group: "ai",
  transaction: false,
  scope: "read",
  input: {
    ...modelInput,
    description: described
      .optional()
      .describe("The ideal customer in words: industries, countries, sizes, roles, signs of interest."),
    prompt: described.optional().describe("The same as `description`."),
  },
  output: z.strictObject({ rubric: z.object({ ...rubric.def.in.shape }).loose(), ...modelOutput }),
  async run(ctx, { description, prompt, model: wanted }) {
    const words = (description ?? prompt ?? "").trim();
    if (isBlank(words)) throw invalid({ description: "must say what an ideal customer is like" });
    const { value, ...by } = await helpedByModel(
      ctx,
      wanted,
      () => rubricTask(ctx, words),
      (answer) => rubricIn(ctx, words, answer),
    );
    if (value !== null) return { rubric: value, ...by };
    const fields = customFieldsOf(ctx.directory, "lead");
    return { rubric: rubricOfWords(words, fields), ...by, notice: noticeOf(by.notice, unusedWords(words, fields)) };
  },
});

/** What was dropped is said: a rubric that leaves out half of a description scores by the other half. */
function noticeOf(why: string | null, unused: readonly string[]): string | null {
  if (unused.length === 0) return why;
  const left = `Not used: ${unused.slice(0, 10).join(", ")}. Add criteria for them by hand; a size needs a number field of leads, named beside it.`;
  return why === null ? left : `${why} ${left}`;
}
