// E-mails that answer each other.
import { z } from "zod";
import { integer, json, type Related, related, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, raw, sql } from "../../db/sql.ts";
import { act, kind } from "./act.ts";

/** An e-mail as a line of its thread: everything but its body. */
export const lineFields = [
  "id",
  "_type",
  "lead_id",
  "contact_id",
  "user_id",
  "thread_id",
  "subject",
  "sender",
  "to",
  "cc",
  "status",
  "direction",
  "body_preview",
  "attachments",
  "opens_summary",
  "date_sent",
  "activity_at",
  "date_created",
] as const;

/** A longer thread shows its newest e-mails. `/activity/email/?thread_id=` lists the others. */
const linesMax = 100;

const emails = related(
  z.array(z.looseObject({ id: z.string() })),
  (alias, ctx) => sql`(select coalesce(json_agg(json_build_object(${lines}) order by e.activity_at desc, e.id desc), '[]') from (
    select ${columns} from activity m where m.organization_id = ${ctx.organization_id} and m.thread_id = ${name(alias)}.id
    order by m.date_created desc, m.id desc limit ${linesMax}) e)`,
  `Its e-mails without their bodies, newest first, at most ${linesMax}.`,
);

export const emailThread = resource({
  ...kind("EmailThread", "email_thread", "emailthread"),
  doc: "A thread: e-mails that answer each other.",
  fields: {
    ...act("EmailThread"),
    latest_normalized_subject: text({ readOnly: true, max: 1000, doc: "The subject without `Re:` and the like." }),
    n_emails: integer({ readOnly: true, default: 0, doc: "How many e-mails it has." }),
    participants: json(z.array(z.object({ email: z.string(), name: z.string().nullable() })), {
      readOnly: true,
      default: [] as { email: string; name: string | null }[],
      doc: "All people in its e-mails.",
    }),
    emails,
    latest_emails: { ...emails, doc: "The same as `emails`." } satisfies Related,
  },
});

const wireTime = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const times: readonly string[] = ["date_sent", "activity_at", "date_created"];

const columns = raw(lineFields.map((key) => `m.${key}`).join(", "));

const lines = raw(
  lineFields
    .map((key) => `'${key}', ${times.includes(key) ? `to_char(e.${key} at time zone 'UTC', ${wireTime})` : `e.${key}`}`)
    .join(", "),
);
