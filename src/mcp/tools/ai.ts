// The helpers of `/ai/…` as tools.
import { z } from "zod";
import { id, written } from "../arguments.ts";
import { answerResult, writtenResult } from "../shape.ts";
import { type Tool, tool } from "../tool.ts";

const model = z.literal("rules").optional();

const texts = z.array(z.string());

export const summarizeLead = tool({
  name: "summarize_lead",
  doc: "Sums up a lead: who it is, what is going on, what to do next. Cheaper to read than its records.",
  scope: "read",
  input: { lead_id: id, max_words: z.int().optional(), model },
  output: { summary: z.string(), highlights: texts, next_steps: texts },
  operations: ["ai.summarize_lead"],
  run: async (call, body) => answerResult((await call.perform("ai.summarize_lead", { body })).body),
});

export const draftEmail = tool({
  name: "draft_email",
  doc: "Drafts an e-mail to a contact by a prompt or from a template. Nothing is created or sent; pass the result to send_email.",
  scope: "read",
  input: {
    contact_id: id.optional(),
    lead_id: id.optional(),
    prompt: z.string().optional().describe("What it is to say."),
    template_id: id.optional(),
    in_reply_to_id: id.optional(),
    tone: z.string().optional(),
    language: z.string().optional(),
    model,
  },
  output: { subject: z.string(), body_text: z.string(), body_html: z.string(), contact_id: id.nullable(), lead_id: id },
  operations: ["ai.draft_email"],
  async run(call, body) {
    // `body` is the same as `body_html`.
    const { body: _, ...draft } = (await call.perform("ai.draft_email", { body })).body;
    return answerResult(draft);
  },
});

export const suggestOpportunity = tool({
  name: "suggest_opportunity",
  doc: "Suggests an opportunity for a lead without an open one, with value and reason. Nothing is created.",
  scope: "read",
  input: { lead_id: id },
  output: { suggestions: z.array(z.looseObject({})) },
  operations: ["ai.suggest_opportunity"],
  async run(call, { lead_id }) {
    const { body } = await call.perform("ai.suggest_opportunity", { body: { lead_id } });
    return answerResult({ suggestions: body.suggestions });
  },
});

export const summarizeConversation = tool({
  name: "summarize_conversation",
  doc: "Sums up a conversation and stores the summary with it.",
  scope: "write_safe",
  input: { conversation_id: id, model },
  output: written,
  operations: ["ai.summarize_conversation"],
  run: async (call, body) => writtenResult(await call.perform("ai.summarize_conversation", { body })),
});

export const extractTasks = tool({
  name: "extract_tasks",
  doc: "Finds what a text, an activity, a conversation or a lead's newest words ask somebody to do, with due days. With create it makes the tasks.",
  scope: "write_safe",
  input: {
    text: z.string().optional(),
    activity_id: id.optional(),
    conversation_id: id.optional(),
    lead_id: id.optional(),
    create: z.boolean().optional(),
  },
  output: written,
  operations: ["ai.extract_tasks"],
  run: async (call, body) => writtenResult(await call.perform("ai.extract_tasks", { body })),
});

export const scoreLead = tool({
  name: "score_lead",
  doc: "Scores leads from 0 to 100 by the ideal customer of the workspace, with reasons, and stores the scores.",
  scope: "write_safe",
  annotations: { idempotentHint: true },
  input: { lead_ids: z.array(id).min(1).max(100), save: z.boolean().optional() },
  output: written,
  operations: ["ai.score_lead"],
  run: async (call, body) => writtenResult(await call.perform("ai.score_lead", { body })),
  onward: () => ({ text: () => null, rows: () => "call again with the lead_ids that are missing" }),
});

export const aiTools: readonly Tool[] = [
  draftEmail,
  extractTasks,
  scoreLead,
  suggestOpportunity,
  summarizeConversation,
  summarizeLead,
];
