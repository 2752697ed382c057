// Remembers what sources answered, so that a company is read and paid for once: for 90 days what they know, and for 30 days that they know
// nothing. The key is a hash, because what is asked are people's addresses.
import { createHash } from "node:crypto";
import { type Ctx, query, write } from "../../core/context.ts";

const nothingDays = 30;

export const answerKey = (source: string, asked: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify([source, asked]).toLowerCase())
    .digest("base64url");

/** Undefined if it was not asked, or too long ago. */
export async function rememberedAnswer<T>(ctx: Ctx, key: string): Promise<T | null | undefined> {
  const [row] = await query(ctx, {
    name: "enrichment_answer.find",
    text: `select answer from enrichment_answer where organization_id = $1 and key = $2
             and date_created > $3::timestamptz - make_interval(days => case when answer is null then ${nothingDays} else ${answerDays} end)`,
    values: [ctx.organization_id, key, ctx.now],
  });
  if (row === undefined) return undefined;
  return row[0] == null ? null : (JSON.parse(row[0]) as T);
}

/** The timer deletes them after that. */
export const answerDays = 90;

export function rememberAnswer(ctx: Ctx, key: string, answer: object | null): void {
  write(ctx, {
    name: "enrichment_answer.put",
    text: `insert into enrichment_answer (organization_id, key, answer, date_created) values ($1, $2, $3::jsonb, $4)
           on conflict (organization_id, key) do update set answer = excluded.answer, date_created = excluded.date_created`,
    values: [ctx.organization_id, key, answer === null ? null : JSON.stringify(answer), ctx.now],
  });
}
