import type { Operation } from "../../core/operation.ts";
import { draftEmail } from "./draft_email.ts";
import { extractTasks } from "./extract_tasks.ts";
import { generateIcpRubric } from "./generate_icp_rubric.ts";
import { scoreLead } from "./score_lead.ts";
import { aiSearch } from "./search.ts";
import { suggestOpportunity } from "./suggest_opportunity.ts";
import { summarizeConversation } from "./summarize_conversation.ts";
import { summarizeLead } from "./summarize_lead.ts";

export const ai: Operation[] = [
  summarizeLead,
  summarizeConversation,
  draftEmail,
  suggestOpportunity,
  aiSearch,
  scoreLead,
  generateIcpRubric,
  extractTasks,
];
