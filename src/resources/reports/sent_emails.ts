// `POST /report/sent_emails/`: how the e-mails of each template did.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { raw, sql } from "../../db/sql.ts";
import { email } from "../activities/email.ts";
import { user } from "../organization/organization.ts";
import { within } from "./range.ts";
import { ask, report } from "./report.ts";

const stats = z.strictObject({
  template_id: z.string().nullable().describe("Null for all e-mails, with or without a template."),
  name: z.string(),
  is_shared: z.boolean().nullable(),
  total: z.int(),
  opened: z.int(),
  percentage_opened: z.number(),
  responded: z.int(),
  percentage_responded: z.number(),
  clicked: z.int(),
  percentage_clicked: z.number(),
  template_url: z.string().nullable(),
});

export const sentEmailsReport = report({
  path: "sent_emails",
  doc: "Counts the e-mails sent in a range of time, and how many were opened and answered: in all, and for each template.",
  input: { user_id: z.string().nullish().describe("Only e-mails of this member.") },
  output: { sent_email_stats: z.array(stats) },
  tables: { sent_email_stats: ({ sent_email_stats }) => sent_email_stats },
  async run(ctx, { user_id }, { records, range }) {
    if (user_id && ctx.directory.get(user, user_id) === undefined) throw invalid({ user_id: "does not exist" });
    const own = user_id ? sql` and t.user_id = ${user_id}` : raw("");

    // One row for all e-mails, and one for each template.
    const { found } = await ask(ctx, {
      found: sql`
        select t.template_id, grouping(t.template_id) as of_all, count(*) as total, count(t.opens_summary) as opened,
          count(*) filter (where t.has_reply) as responded, count(t.clicks_summary) as clicked
        from activity t
        where ${records(email, "t", "user_id")} and ${within(range, raw("t.activity_at"))} and t.status = 'sent'${own}
        group by grouping sets ((t.template_id), ())`,
    });

    const shown = found.filter((row) => row.of_all === 1 || row.template_id !== null);
    return {
      sent_email_stats: shown
        .sort((a, b) => b.of_all - a.of_all || b.total - a.total)
        .map(({ template_id, total, opened, responded, clicked, of_all }) => ({
          template_id,
          name: of_all === 1 ? "All Emails" : template_id,
          is_shared: null,
          total,
          opened,
          percentage_opened: percentage(opened, total),
          responded,
          percentage_responded: percentage(responded, total),
          clicked,
          percentage_clicked: percentage(clicked, total),
          template_url: null,
        })),
    };
  },
});

const percentage = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100);
