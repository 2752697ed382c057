// `POST /report/sent_emails/`: sent, opened, clicked and answered e-mails by template.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { from, scope } from "../../core/resource.ts";
import { and, raw, sql } from "../../db/sql.ts";
import { email } from "../activities/email.ts";
import { user } from "../organization/organization.ts";
import { emailTemplate } from "../templates/email_template.ts";
import { within } from "./range.ts";
import { ask, report } from "./report.ts";

const stats = z.strictObject({
  template_id: z.string().nullable().describe("Null for all e-mails, with or without a template."),
  name: z.string().nullable().describe("Null for a template that is deleted, or that the caller may not see."),
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

    const { found } = await ask(
      ctx,
      {
        // A template that the caller cannot see is shown only as its id.
        found: sql`
          select counted.*, e.id is not null as is_seen, e.is_shared, e.name
          from counted left join ${from(emailTemplate, "e")} on ${and(scope(ctx, emailTemplate, "e"))} and e.id = counted.template_id
          where of_all = 1 or template_id is not null
          order by of_all desc, total desc, counted.template_id`,
      },
      // A row of `counted` is a template, or all e-mails with or without one.
      sql`
        with counted as (
          select t.template_id, grouping(t.template_id) as of_all, count(*) as total, count(t.opens_summary) as opened,
            count(*) filter (where t.has_reply) as responded, count(t.clicks_summary) as clicked
          from activity t
          where ${records(email, "t", "user_id")} and ${within(range, raw("t.activity_at"))} and t.status = 'sent'${own}
          group by grouping sets ((t.template_id), ())
        )`,
    );
    return { sent_email_stats: found.map((row) => shown(ctx, row)) };
  },
});

function shown({ settings }: Ctx, { template_id, name, is_seen, is_shared, total, opened, responded, clicked, of_all }: any) {
  return {
    template_id,
    name: of_all === 1 ? "All Emails" : name,
    is_shared,
    total,
    opened,
    percentage_opened: percentage(opened, total),
    responded,
    percentage_responded: percentage(responded, total),
    clicked,
    percentage_clicked: percentage(clicked, total),
    template_url: is_seen ? `${settings.base_url}/api/v1/email_template/${template_id}/` : null,
  };
}

const percentage = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100);
