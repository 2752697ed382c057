// `POST /ai/summarize_conversation/`: what was said, how they sound, and what is open. The summary is stored with the conversation.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { zoneOf } from "../../records/clock.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { activity } from "../activities/activity.ts";
import { conversation } from "../conversations/conversation.ts";
import { keepSummary } from "../conversations/keep_summary.ts";
import { directionOf, isFromMachine, type Message } from "../conversations/message.ts";
import { user } from "../organization/organization.ts";
import { type Helped, helpedByModel } from "./ask_model.ts";
import { counted, dayInWords, quoted, within } from "./in_words.ts";
import { modelInput, modelOutput } from "./model_fields.ts";
import type { Task } from "./prompt.ts";
import { checkedProse } from "./prose.ts";
import { questionsIn, sentencesOf } from "./sentences.ts";
import { sentimentOf, sentiments } from "./sentiment.ts";
import { tasksIn } from "./tasks_in_text.ts";
import { wordsOf } from "./words_of.ts";

/** How many of the newest messages are read. */
const recent = 100;
const wordsMax = 150;

export const summarizeConversation = operation({
  name: "ai.summarize_conversation",
  method: "POST",
  path: "/ai/summarize_conversation/",
  doc: "Sums up a conversation and stores the summary with it: what was said, whether they sound pleased, what was asked and promised.",
  permission: "member",
  group: "ai",
  input: { conversation_id: z.string().describe("The conversation: its newest 100 messages are read."), ...modelInput },
  output: z.strictObject({
    conversation_id: z.string(),
    summary: z.string(),
    sentiment: z.enum(sentiments),
    action_items: z.array(z.string()),
    open_questions: z.array(z.string()),
    ...modelOutput,
  }),
  // A model is asked before the transaction. One that is only tried asks none.
  async prepare(ctx, { conversation_id, model: wanted }) {
    const found = await findRecord(ctx, conversation, conversation_id);
    const said = found === null ? [] : await messagesOf(ctx, conversation_id);
    const isAsked = said.length > 0 && ctx.meta.dry_run !== true;
    const ready = await helpedByModel(
      ctx,
      isAsked ? wanted : "rules",
      () => taskOf(ctx, found!, said),
      (answer: any) => within(sentencesOf(checkedProse(answer?.summary, { known: found!.subject ?? "", most: 8000 })), wordsMax),
    );
    return { ready, settle: async () => {} };
  },
  async run(ctx, { conversation_id }, { value, ...by }: Helped<string>) {
    const said = await messagesOf(ctx, conversation_id);
    const theirs = said.filter(({ isTheirs }) => isTheirs).map(({ words }) => words);
    const summary = await keepSummary(ctx, conversation_id, (found) => value ?? summaryOf(ctx, found, said));
    return {
      conversation_id,
      summary,
      sentiment: sentimentOf(theirs.join("\n")),
      action_items: tasksIn(said.map(({ words }) => words).join("\n"), { now: ctx.now, zone: zoneOf(ctx.directory, ctx) }).map(
        ({ text }) => text,
      ),
      open_questions: openQuestions(said),
      ...by,
    };
  },
});

const taskOf = (ctx: Ctx, { subject, channel }: Row<typeof conversation>, said: readonly Said[]): Task => ({
  does: `Sum up this conversation between us and a customer: what it is about, what was agreed, what is open. At most ${wordsMax} words, no headings, no lists. Say only what the data says. Today is ${ctx.now.toISOString().slice(0, 10)}.`,
  answers: '{"summary": "the text"}',
  // Should there be too much, the newest are read.
  data: {
    subject,
    channel,
    newest_first: said.toReversed().map(({ who, at, words }) => ({ who, at, words: words.slice(0, 2000) })),
  },
  tokens: 1500,
});

interface Said {
  words: string;
  who: string;
  at: string;
  isTheirs: boolean;
}

/** The messages of people, oldest first. */
async function messagesOf(ctx: Ctx, id: string): Promise<Said[]> {
  const rows = (await findRecords(
    ctx,
    activity,
    [sql`t.conversation_id = ${id}`],
    sql`order by t.activity_at desc, t.id desc limit ${recent}`,
  )) as unknown as Message[];
  return rows
    .toReversed()
    .filter((one) => !isFromMachine(one) && one.status !== "draft")
    .map((one) => {
      const isTheirs = directionOf(one) === "incoming";
      const member = ctx.directory.get(user, one.user_id);
      return { words: wordsOf({ ...one }), who: isTheirs ? "they" : (member?.name ?? "we"), at: one.activity_at, isTheirs };
    })
    .filter(({ words }) => words !== "");
}

function summaryOf(ctx: Ctx, { subject, channel }: Row<typeof conversation>, said: readonly Said[]): string {
  const about = subject ? ` about ${quoted(subject, 80)}` : "";
  if (said.length === 0) return `Nothing was said yet in this conversation${about}.`;
  const zone = zoneOf(ctx.directory, ctx);
  const on = ({ at }: Said) => dayInWords(at, ctx.now, zone);
  const [first, last] = [said[0]!, said.at(-1)!];
  const theirs = said.findLast(({ isTheirs }) => isTheirs);
  const gist = ({ words }: Said) => quoted(sentencesOf(words).slice(0, 2).join(" ") || words);
  return within(
    [
      `The conversation${about} (${channel}) has ${counted(said.length, "message")}, the first ${on(first)}.`,
      `It began with ${gist(first)}.`,
      theirs !== undefined && theirs !== first && theirs !== last ? `Their last words, ${on(theirs)}: ${gist(theirs)}.` : "",
      last === first ? "" : `Last, ${on(last)}, ${last.who} wrote ${gist(last)}.`,
      last.isTheirs ? "They wait for an answer." : "",
    ],
    wordsMax,
  );
}

/** Questions that the other side has not written after. */
function openQuestions(said: readonly Said[]): string[] {
  const lastOf = (isTheirs: boolean) => said.findLastIndex((one) => one.isTheirs === isTheirs);
  const open = said.filter((one, i) => i > lastOf(!one.isTheirs));
  return [...new Set(open.flatMap(({ words }) => questionsIn(words)))].slice(0, 20);
}
