// What the helpers that a model writes for take and answer besides their own fields.
import { z } from "zod";

export const modelInput = { model: z.literal("rules").optional().describe("`rules` asks no model, even if one is connected.") };

export const modelOutput = {
  model: z.string().describe("What wrote it: the name of a model, or `rules`."),
  notice: z
    .string()
    .nullable()
    .describe("Why it was written by rules although a model is connected, or what the rules left out."),
};
