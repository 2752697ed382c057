// Finds the e-mail that another one answers, by the ids in its header, and names it in the header of an answer.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { emailKey } from "../../values/email.ts";
import type { Answered } from "./arrived_email.ts";
import type { email } from "./email.ts";
import { people } from "./recipients.ts";

/** With the keys of all addresses in its thread, and of its own blind copies. */
export interface AnsweredThread extends Answered {
  addresses: string[];
}

interface Header {
  in_reply_to: string | null;
  /** The oldest first: the last id is that of the message right before this one. */
  references: readonly string[];
}

/** The e-mails that it answers or continues, the most relevant first. */
export async function answeredBy(ctx: Ctx, { in_reply_to, references }: Header): Promise<AnsweredThread[]> {
  if (references.length === 0) return [];
  const rows = await query(
    ctx,
    statement(
      sql`select t.id, t.lead_id, t.thread_id, t.contact_id, t.direction, array_to_json(t.message_ids), t.bcc, thread.participants
        from activity t join activity thread on thread.organization_id = ${ctx.organization_id} and thread.id = t.thread_id
        where t.organization_id = ${ctx.organization_id} and t._type = 'Email' and t.message_ids <> '{}'
          and t.message_ids && ${references}::text[] order by t.activity_at desc, t.id desc limit 100`,
      "email.answered",
    ),
  );
  const placeOf = (ids: readonly string[]) =>
    Math.max(...ids.map((id) => (id === in_reply_to ? references.length : references.indexOf(id))));
  return rows
    .map(([id, lead_id, thread_id, contact_id, direction, ids, bcc, participants]) => ({
      place: placeOf(JSON.parse(ids!)),
      answered: { id, lead_id, thread_id, contact_id, direction, addresses: addressesOf(bcc, participants) } as AnsweredThread,
    }))
    .sort((one, other) => other.place - one.place)
    .map(({ answered }) => answered);
}

const addressesOf = (bcc: string | null | undefined, participants: string | null | undefined): string[] =>
  [...people(JSON.parse(bcc ?? "[]")), ...JSON.parse(participants ?? "[]")].map(({ email }) => emailKey(email));

/** The header's list of messages that an answer continues. */
export const referencesTo = ({ references, message_ids }: Pick<Row<typeof email>, "references" | "message_ids">): string[] =>
  [...references, ...message_ids.slice(0, 1)].slice(-100);
