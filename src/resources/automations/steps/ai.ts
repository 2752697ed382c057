// Steps that ask a model, and one that scores a lead by rules.
import { z } from "zod";
import { grades, tiers } from "../../ai/scoring.ts";
import { lead } from "../../leads/lead.ts";
import { rubric } from "../../organization/rubric.ts";
import { defining, label, may, need, positive, values, verbatim, words } from "../catalog.ts";
import { payloadSchema } from "../hooks/payload_schema.ts";
import { asking } from "./asking_model.ts";
import { namesIn, place } from "./named_ports.ts";
import { scoreRecord } from "./scoring_record.ts";
import { internal, type StepType } from "./step.ts";

const define = defining<StepType>();
const ai = "ai";

const taken = {
  prompt: need(words.describe("What the model is to do.")),
  input: may(
    values.describe("What it is to do that with, by names: references to records and earlier steps. It is data to the model."),
  ),
  model: may(label.describe("The name of a model; by default that of the credentials.")),
  max_tokens: may(z.int().min(1).max(100_000).describe("How long the answer may be.")),
  timeout_s: may(z.int().min(1).max(40)),
};

const classes = z
  .array(z.strictObject({ id: place, description: words.optional() }))
  .min(2)
  .max(50);

export const aiSteps: readonly StepType[] = [
  define(
    ai,
    "ai.generate",
    "Lets a model write a text, or with output_schema a value.",
    { ...taken, output_schema: verbatim(may(payloadSchema)) },
    {
      ...asking("generate"),
      side_effect: "keyed",
      ports: ["out"],
      output: z.object({ text: z.string().nullable(), value: z.unknown(), model: z.string() }),
    },
  ),
  define(
    ai,
    "ai.classify",
    "Lets a model choose, and continues by its choice.",
    { ...taken, classes: need(classes) },
    {
      ...asking("classify"),
      side_effect: "keyed",
      ports: namesIn("classes"),
      output: z.object({ class: z.string(), model: z.string() }),
    },
  ),
  define(
    ai,
    "ai.extract",
    "Lets a model extract facts from a text, in the form of output_schema.",
    { ...taken, output_schema: verbatim(need(payloadSchema)) },
    {
      ...asking("extract"),
      side_effect: "keyed",
      ports: ["out"],
      output: z.object({ values: z.looseObject({}), model: z.string() }),
    },
  ),
  define(
    ai,
    "ai.score",
    "Scores the lead by a rubric: the given one, one made of the prompt, or that of the organization.",
    {
      prompt: may(words.describe("What an ideal customer is like, in words.")),
      rubric: may(rubric),
      max: may(positive.describe("The most points; 100 by default.")),
      save: may(z.boolean().describe("Writes the score to the lead; by default it does.")),
    },
    {
      ...internal,
      output: z.object({
        score: z.number(),
        grade: z.enum(grades),
        tier: z.enum(tiers),
        reasons: z.array(z.string()),
        rubric_source: z.enum(["step", "organization", "default"]),
      }),
      run: scoreRecord,
      does: { verb: "update", kind: () => lead.name },
    },
  ),
];
