// A contact: a person at a lead.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { boolean, choice, computed, formed, input, json, ref, related, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql, wireTime } from "../../db/sql.ts";
import { type Part, searched } from "../../search/searched.ts";
import { isTimeZone } from "../../values/time.ts";
import { integrationLinks, recentCalls } from "../leads/overview.ts";
import { andVisible, visibleAsLead } from "../leads/visibility.ts";
import { listFilters, listIds } from "../lists/list_fields.ts";
import { sequence } from "../sequences/sequence.ts";
import { contactEmails, type Email, emailKeys, type Phone, phoneKeys, phones, urls } from "../shared/contact_points.ts";
import { emailFilter, nameFilter, phoneFilter, tagFilter } from "../shared/filters.ts";
import { dateCreated } from "../shared/history.ts";
import { authorNames } from "../shared/names.ts";
import { tagNames } from "../tags/tag_names.ts";

const subscription = z.object({
  subscription_id: z.string(),
  sequence_id: z.string(),
  sequence_name: z.string().nullable(),
  sequence_status: z.string().nullable(),
  subscription_status: z.string(),
  subscription_status_reason: z.string().nullable(),
  contact_email: z.string().nullable(),
  start_date: z.iso.datetime(),
  date_created: z.iso.datetime(),
});

export const contact = resource({
  name: "contact",
  prefix: "cont",
  doc: "A person at a company.",
  commentable: true,
  custom: "contact",
  rendered: 1,
  visible: visibleAsLead,
  indexed: ["lead_id"],
  sort: { name: true, display_name: true },
  search: searched({ words: searchWords, beginnings: true, covers: ["name", "title", "emails"] }),
  filters: {
    name: nameFilter("contact"),
    email: emailFilter,
    phone: phoneFilter,
    tag: tagFilter("contact"),
    ...listFilters("contact"),
  },
  expand: { lead: { resource: "lead", via: "lead_id", many: false } },
  fields: {
    lead_id: ref(
      "lead",
      { onDelete: "cascade", onMove: "follow" },
      { filled: true, doc: "The lead; where none is given, one named after the contact is created." },
    ),
    name: text({ doc: "The full name." }),
    first_name: input(z.string().max(255), { doc: "With `last_name`, instead of `name`." }),
    last_name: input(z.string().max(255)),
    display_name: text({
      required: true,
      derive: displayName,
      doc: "The name, or else an e-mail address, or else a phone number, or else `Untitled`.",
    }),
    title: text({ doc: "The job title." }),
    emails: contactEmails(
      "E-mail addresses; `is_unsubscribed`: its owner wants no more mailings; `is_invalid`: mail to it bounced.",
    ),
    phones: phones("Phone numbers."),
    urls: urls("Web addresses."),
    tags: tagNames("Names of contact tags; unknown ones are created."),
    list_ids: listIds("contact"),
    timezone: formed((raw) => (isTimeZone(raw) ? raw : null), "must be a time zone such as Europe/Berlin"),
    timezone_source: choice(["contact", "lead", "phone"], { readOnly: true, doc: "Where the time zone was learnt from." }),
    do_not_call: boolean({
      default: false,
      doc: "They do not want to be called: dialers and the call steps of sequences skip them.",
    }),
    enrichment_status: text({ readOnly: true, doc: "How the latest enrichment went." }),
    enriched_at: timestamp({ readOnly: true }),
    share_id: text({ readOnly: true, doc: "The same on every copy of one shared person." }),
    is_shared: computed(["share_id"], z.boolean(), (share_id) => share_id !== null, "Whether other organizations have a copy."),
    shared_at: timestamp({ readOnly: true, hidden: true, doc: "When it was shared." }),
    external_profiles: json(z.array(z.looseObject({})), {
      readOnly: true,
      default: [] as object[],
      doc: "Its profiles at other services.",
    }),
    subscriptions: related(z.array(subscription), subscriptionsOf, "The sequences it is or was in."),
    recent_calls: recentCalls("contact_id"),
    integration_links: integrationLinks(),
    email_keys: texts({ default: [] as string[], hidden: true, derive: emailKeys }),
    phone_keys: texts({ default: [] as string[], hidden: true, derive: phoneKeys }),
    date_created: dateCreated,
    ...authorNames,
  },
});

/** A sequence that the caller cannot see is shown only as its id. */
function subscriptionsOf(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  return sql`(select coalesce(json_agg(json_build_object('subscription_id', s.id, 'sequence_id', s.sequence_id,
      'sequence_name', q.name, 'sequence_status', q.status, 'subscription_status', s.status,
      'subscription_status_reason', s.status_reason, 'contact_email', s.contact_email,
      'start_date', ${wireTime(sql`s.start_date`)}, 'date_created', ${wireTime(sql`s.date_created`)}) order by s.date_created desc, s.id desc), '[]')
    from sequence_subscription s left join sequence q on q.organization_id = s.organization_id and q.id = s.sequence_id
      ${andVisible(sequence.visible!(ctx, "q"))}
    where s.organization_id = ${ctx.organization_id} and s.contact_id = ${t}.id)`;
}

/** The name to show for a contact. */
export function displayName(row: { name: string | null; emails: Email[]; phones: Phone[] }): string {
  return row.name ?? row.emails[0]?.email ?? row.phones[0]?.phone ?? "Untitled";
}

function searchWords(row: { name: string | null; title: string | null; emails: Email[]; phones: Phone[] }): Part[] {
  return [
    { text: row.name },
    { text: row.title },
    ...row.emails.map((one) => ({ text: one.email })),
    ...row.phones.map((one) => ({ phone: one.phone })),
  ];
}
