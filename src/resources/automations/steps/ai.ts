// Steps that ask a model.
import { z } from "zod";
import { anything, defining, label, may, need, positive, values, words } from "../catalog.ts";
import { namesIn, place } from "./named_ports.ts";
import type { StepType } from "./step.ts";

const define = defining<StepType>();
const ai = "ai";
const out = ["out"] as const;
const asking = { prompt: need(words), input: may(values), output_schema: may(values), model: may(label) };

export const aiSteps: readonly StepType[] = [
  define(ai, "ai.generate", "Lets a model write a text.", asking, { ports: out, side_effect: "keyed" }),
  define(
    ai,
    "ai.classify",
    "Lets a model choose, and continues by its choice.",
    {
      ...asking,
      classes: need(
        z
          .array(z.strictObject({ id: place, description: words.optional() }))
          .min(2)
          .max(50),
      ),
    },
    { ports: namesIn("classes"), side_effect: "keyed" },
  ),
  define(
    ai,
    "ai.extract",
    "Lets a model extract facts from a text.",
    { ...asking, output_schema: need(values) },
    { ports: out, side_effect: "keyed" },
  ),
  define(
    ai,
    "ai.score",
    "Lets a model rate a record.",
    { ...asking, rubric: may(anything), max: may(positive) },
    { ports: out, side_effect: "keyed" },
  ),
];
