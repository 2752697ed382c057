// An e-mail template: a text with placeholders that are filled in for each recipient.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { boolean, computed, input, lookedUp, related, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { emailAttachments } from "../activities/attachments.ts";
import { subjectMax } from "../activities/email.ts";
import { andVisible } from "../leads/visibility.ts";
import { sequence } from "../sequences/sequence.ts";
import { authorNames } from "../shared/names.ts";
import { isInForce } from "./in_force.ts";
import { ownership, templateIsVisible } from "./ownership.ts";
import { shownWarnings, warningsOf } from "./placeholders.ts";

const bodyMax = 100_000;
const tagsDoc = 'Such as `Hi {{ contact.first_name | default: "there" }}`.';

export const emailTemplate = resource({
  name: "email_template",
  called: ["e-mail template", "e-mail templates"],
  prefix: "tmpl",
  doc: "An e-mail template: a text with tags that are filled in for a contact.",
  visible: templateIsVisible,
  isUsed: { by: ["subject", "body", "attachments", "unsubscribe_link_location"], now: isInForce },
  sort: { name: true },
  fields: {
    name: text({ required: true }),
    subject: text({ max: subjectMax, default: "", doc: `May have tags. ${tagsDoc}` }),
    body: text({ max: bodyMax, default: "", doc: `HTML with tags. ${tagsDoc} Values are escaped.` }),
    body_html: input(z.string().max(bodyMax), {
      doc: "Another name of `body`.",
      shown: computed(["body"], z.string(), (body: string) => body, "The same as `body`."),
    }),
    is_archived: boolean({ default: false, doc: "No longer offered; it can still be rendered." }),
    attachments: emailAttachments(),
    warnings: lookedUp(
      ["subject", "body"],
      shownWarnings,
      (directory, subject: string, body: string) => warningsOf(directory, { subject, body }),
      "Tags of it that name nothing, and come out empty.",
    ),
    unsubscribe_link_location: text({ doc: "The position of the unsubscribe link." }),
    used_by_sequences: related(
      z.array(z.object({ id: z.string(), name: z.string() })),
      sequencesThatSend,
      "The sequences that use it. While there are any, it cannot be deleted.",
    ),
    ...ownership,
    ...authorNames,
  },
});

function sequencesThatSend(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  return sql`(select coalesce(json_agg(json_build_object('id', s.id, 'name', s.name) order by s.name, s.id), '[]')
    from sequence s where s.organization_id = ${ctx.organization_id} and s.email_template_ids @> array[${t}.id::text]
      ${andVisible(sequence.visible!(ctx, "s"))})`;
}
