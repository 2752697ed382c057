// `POST /ai/extract_tasks/`: what a text, an activity, a conversation or the last words at a lead ask somebody to do.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { sql } from "../../db/sql.ts";
import { zoneOf } from "../../records/clock.ts";
import { createRecord, findRecord, findRecords } from "../../records/records.ts";
import { activity } from "../activities/activity.ts";
import { conversation } from "../conversations/conversation.ts";
import { lead } from "../leads/lead.ts";
import { task } from "../tasks/task.ts";
import { recentWords } from "./recent_words.ts";
import { type FoundTask, tasksIn } from "./tasks_in_text.ts";
import { type Spoken, wordsOf } from "./words_of.ts";

const sources = ["text", "activity_id", "conversation_id", "lead_id"] as const;

/** How many of the newest activities of a lead or conversation are read. */
const recent = 50;
/** As many characters are read. */
const textMax = 100_000;

export const extractTasks = operation({
  name: "ai.extract_tasks",
  method: "POST",
  path: "/ai/extract_tasks/",
  doc: "Finds what a text asks somebody to do, with due days, in English, German, French or Spanish. Give one of `text`, `activity_id`, `conversation_id` and `lead_id`; with `text`, `lead_id` says where to create the tasks.",
  permission: "member",
  group: "ai",
  input: {
    text: z.string().max(textMax).optional().describe("The text."),
    activity_id: z.string().optional().describe("The activity whose words are read."),
    conversation_id: z.string().optional().describe("The conversation: its newest 50 messages are read."),
    lead_id: z.string().optional().describe("The lead: its newest 50 activities are read."),
    create: z.boolean().default(false).describe("Creates the tasks, for the caller."),
  },
  output: z.strictObject({
    tasks: z.array(
      z.strictObject({
        text: z.string(),
        date: z.iso.date().nullable(),
        _type: z.enum(["call", "email", "meeting", "sms", "lead"]),
        assigned_to: z.string(),
        priority: z.enum(["high", "medium", "low"]).nullable(),
      }),
    ),
    created_ids: z.array(z.string()),
  }),
  async run(ctx, given) {
    const { words, lead_id, contact_id } = await sourceOf(ctx, given);
    const asking = { now: ctx.now, zone: zoneOf(ctx.directory, ctx) };
    const tasks = tasksIn(words, asking).map((one) => ({ ...one, assigned_to: ctx.actor.user_id }));
    if (!given.create) return { tasks, created_ids: [] };
    if (lead_id === null) throw invalid({ lead_id: "is needed to create the tasks: a task belongs to a lead" });
    return { tasks, created_ids: await createAll(ctx, tasks, lead_id, contact_id) };
  },
});

async function createAll(
  ctx: Ctx,
  tasks: readonly (FoundTask & { assigned_to: string })[],
  lead_id: string,
  contact_id: string | null,
): Promise<string[]> {
  const ids: string[] = [];
  for (const one of tasks) ids.push((await createRecord(ctx, task, { ...one, lead_id, contact_id })).id);
  return ids;
}

interface Source {
  words: string;
  lead_id: string | null;
  contact_id: string | null;
}

type Given = Partial<Record<(typeof sources)[number], string>>;

async function sourceOf(ctx: Ctx, given: Given): Promise<Source> {
  const named = sources.filter((key) => given[key] !== undefined);
  const isTextForLead = named.length === 2 && given.text !== undefined && given.lead_id !== undefined;
  if (named.length !== 1 && !isTextForLead)
    throw invalid({ text: "is needed, or one of activity_id, conversation_id and lead_id" });
  if (given.text !== undefined) return { words: given.text, lead_id: await checkedLead(ctx, given.lead_id), contact_id: null };
  if (given.activity_id !== undefined) return ofActivity(ctx, given.activity_id);
  return given.conversation_id === undefined ? ofLead(ctx, given.lead_id!) : ofConversation(ctx, given.conversation_id);
}

async function checkedLead(ctx: Ctx, id: string | undefined): Promise<string | null> {
  if (id !== undefined && (await findRecord(ctx, lead, id)) === null) throw invalid({ lead_id: "does not exist" });
  return id ?? null;
}

async function ofActivity(ctx: Ctx, id: string): Promise<Source> {
  const [row] = await findRecords(ctx, activity, [sql`t.id = ${id}`]);
  if (row === undefined) throw invalid({ activity_id: "does not exist" });
  return { words: wordsOf(row as Spoken), lead_id: row.lead_id as string, contact_id: (row.contact_id as string | null) ?? null };
}

async function ofConversation(ctx: Ctx, id: string): Promise<Source> {
  const found = await findRecord(ctx, conversation, id);
  if (found === null) throw invalid({ conversation_id: "does not exist" });
  const rows = await findRecords(
    ctx,
    activity,
    [sql`t.conversation_id = ${id}`],
    sql`order by t.activity_at desc, t.id desc limit ${recent}`,
  );
  return { words: allWords(rows), lead_id: found.lead_id, contact_id: found.contact_id };
}

async function ofLead(ctx: Ctx, id: string): Promise<Source> {
  const lead_id = await checkedLead(ctx, id);
  return { words: allWords(await recentWords(ctx, id, recent)), lead_id, contact_id: null };
}

/** The newest words, in the order in which they were said. `rows` come newest first. */
function allWords(rows: readonly object[]): string {
  const all: string[] = [];
  let length = 0;
  for (const row of rows) {
    all.push(wordsOf(row as Spoken));
    length += all.at(-1)!.length;
    if (length > textMax) break;
  }
  return all.reverse().join("\n").slice(-textMax);
}
