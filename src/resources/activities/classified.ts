// What happens to an arrived e-mail because of its class, and what happens when the class is corrected.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { agree, byRule, type Classification, corrected, writtenByHand } from "../mail_class/classification.ts";
import { classify } from "../mail_class/classify.ts";
import { followClass, unfollowClass } from "../mail_class/follow.ts";
import { email } from "./email.ts";
import { person } from "./recipients.ts";
import { markAnswered } from "./threading.ts";

type Email = Row<typeof email>;

/** A person wrote it. E-mails logged by hand have no class. */
export const isReply = ({ classification }: Pick<Email, "classification">): boolean =>
  (classification ?? writtenByHand).class === "human";

/**
 * What somebody logs without a class was written by a person, unless its words ask for no more mail or say that they are away. It has none
 * of the headers that a mailbox receives, so nothing else is believed of it.
 */
export function classOfLogged(
  { sender, subject, body_text, body_html }: Partial<Pick<Email, "sender" | "subject" | "body_text" | "body_html">>,
  { isAnswer, at }: { isAnswer: boolean; at: string },
): Classification | null {
  const message = {
    headers: isAnswer ? [{ key: "in-reply-to", value: "<logged>" }] : [],
    from: sender == null ? undefined : { address: person(sender).email },
    subject: subject ?? undefined,
    text: body_text ?? undefined,
    html: body_html ?? undefined,
    attachments: [],
  };
  const verdict = classify(message, new Date(at));
  return verdict.class === "opt_out" || verdict.class === "auto_reply" ? byRule({ ...verdict, about: [] }) : null;
}

/** Runs what follows from the e-mail's class. Call it with an e-mail that was just written. */
export async function followed(ctx: Ctx, row: Email): Promise<Email> {
  if (row.status !== "inbox") return row;
  const effects = await followClass(ctx, row, row.classification ?? writtenByHand);
  return effects.ways.length === 0 && row.class_effects === null
    ? row
    : store.update(ctx, email, row, { class_effects: effects }, undefined, null);
}

/** The class that a member sets, as it is stored. Undefined when that changes nothing. */
export function saidClass(before: Pick<Email, "status" | "classification">, said: Classification | null | undefined) {
  if (said === undefined || (said === null && before.classification === null)) return undefined;
  if (said === null) throw invalid({ classification: "cannot be removed: set another class" });
  if (before.classification !== null && agree(before.classification, said)) return undefined;
  if (before.status !== "inbox") throw invalid({ classification: "can only be set for a received e-mail" });
  return corrected(before.classification, said);
}

/** The message has another class than was thought. */
export async function reclassified(ctx: Ctx, before: Email, after: Email): Promise<Email> {
  await unfollowClass(ctx, before);
  if (isReply(after)) await markAnswered(ctx, after, after.in_reply_to_id);
  else await countAnswersAnew(ctx, after.thread_id);
  return followed(ctx, after);
}

/** Marks as answered what was sent before the last answer of the thread, and nothing else. */
async function countAnswersAnew(ctx: Ctx, thread_id: string): Promise<void> {
  const inThread = sql`t._type = 'Email' and t.thread_id = ${thread_id}`;
  const isAnswer = sql`t.status = 'inbox' and coalesce(t.classification->>'class', 'human') = 'human'`;
  const [row] = await query(
    ctx,
    statement(sql`select max(t.activity_at) from activity t where t.organization_id = ${ctx.organization_id}
      and ${inThread} and ${isAnswer}`),
  );
  const unanswered = sql`t.has_reply and t.activity_at > coalesce(${row![0]!}::timestamptz, '-infinity')`;
  for (const one of await lockWhere(ctx, email, sql`${inThread} and ${unanswered}`))
    store.update(ctx, email, one, { has_reply: false });
}
