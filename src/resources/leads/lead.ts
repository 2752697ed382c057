// A lead: a company that may become a customer. Most other records belong to one.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { address, choice, formed, input, integer, json, label, ref, related, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { type Part, searched } from "../../search/searched.ts";
import { leadSmartFields } from "../../search/smart_fields.ts";
import { parseUrl } from "../../values/url.ts";
import { listFilters, listIds } from "../lists/list_fields.ts";
import { addresses, type Email, emailKeys, emails, type Phone, phoneKeys, phones } from "../shared/contact_points.ts";
import { labelFilter, nameFilter, reachedFilter, tagFilter } from "../shared/filters.ts";
import { dateCreated } from "../shared/history.ts";
import { authorNames } from "../shared/names.ts";
import { tagNames } from "../tags/tag_names.ts";
import { leadOverview } from "./lead_overview.ts";
import { leadStatus } from "./lead_status.ts";
import { leadIsVisible } from "./visibility.ts";

const webAddress = (raw: string) => parseUrl(raw, { prefix: true });

export const lead = resource({
  name: "lead",
  prefix: "lead",
  doc: "A company you may sell to. Contacts, opportunities, tasks and activities belong to it.",
  commentable: true,
  custom: "lead",
  rendered: 1,
  eventLead: (row) => row.id,
  visible: leadIsVisible,
  sort: { name: true, display_name: true, mrr: true, status_label: { sql: statusLabel, type: "text" } },
  search: searched({
    words: searchWords,
    beginnings: true,
    covers: ["name", "url", "description", "emails"],
    alsoBy: { contact: ["words", "email", "phone"], activity_note: ["words"] },
  }),
  filters: {
    name: nameFilter("lead"),
    email: reachedFilter("lead", "email"),
    phone: reachedFilter("lead", "phone"),
    tag: tagFilter("lead"),
    ...listFilters("lead"),
    ...labelFilter("status_label", "status_id", leadStatus),
    ...labelFilter("status", "status_id", leadStatus),
  },
  expand: {
    contacts: { resource: "contact", via: "lead_id", many: true },
    opportunities: { resource: "opportunity", via: "lead_id", many: true },
    tasks: { resource: "task", via: "lead_id", many: true, where: (t) => sql`not ${sql([t])}.is_complete` },
  },
  fields: {
    name: text({ doc: "The company's name." }),
    display_name: text({
      required: true,
      derive: (row) => row.name ?? row.first_contact_name ?? "Untitled",
      doc: "The name, or else that of the first contact, or else `Untitled`.",
    }),
    first_contact_name: text({ readOnly: true, hidden: true, doc: "Stored while the lead has no name of its own." }),
    url: formed(webAddress, "is not a web address", { doc: "Web address of the company." }),
    industry: text({ doc: "The industry it works in." }),
    description: text({ max: 100_000 }),
    status_id: ref(
      "lead_status",
      { onDelete: "refuse", onMove: "match" },
      {
        default: (ctx: Ctx) => ctx.directory.list(leadStatus)[0]!.id as string,
        doc: "The lead's status; by default the first one.",
      },
    ),
    status: input(z.string(), { doc: "The label of a status, instead of `status_id`." }),
    status_label: label("status_id", "lead_status", "label"),
    owner_id: ref("user", { onDelete: "keep", onMove: "match" }, { doc: "The member who owns the lead." }),
    owner_name: label("owner_id", "user", "name"),
    mrr: integer({ min: 0, doc: "Monthly recurring revenue, in minor units." }),
    emails: emails("The company's e-mail addresses."),
    phones: phones("The company's phone numbers."),
    addresses: addresses("Postal addresses."),
    contacts: input(z.array(z.record(z.string(), z.unknown())).max(100), {
      createOnly: true,
      later: "ignored",
      doc: "Contacts to create with the lead, each with fields of a contact. An update creates none: it ignores them, or refuses them where it is strict, as by tools.",
    }),
    tags: tagNames("Names of lead tags; unknown ones are created."),
    list_ids: listIds("lead"),
    score: integer({ readOnly: true, doc: "0 to 100, written by scoring." }),
    score_grade: choice(["A", "B", "C", "D"], { readOnly: true, doc: "The score as a grade." }),
    score_reasons: json(z.array(z.string()), { readOnly: true, default: [] as string[], doc: "Why the score is what it is." }),
    scored_at: timestamp({ readOnly: true }),
    date_created: dateCreated,
    source: text({ createOnly: true, default: "api", doc: "The source of the lead." }),
    html_url: address("/lead/", "The address of the lead's page for people."),
    contact_ids: related(
      z.array(z.string()),
      (t, ctx) =>
        sql`(select coalesce(json_agg(c.id order by c.id), '[]') from contact c where c.organization_id = ${ctx.organization_id} and c.lead_id = ${sql([t])}.id)`,
    ),
    ...leadOverview(),
    email_keys: texts({ default: [] as string[], hidden: true, derive: emailKeys }),
    phone_keys: texts({ default: [] as string[], hidden: true, derive: phoneKeys }),
    ...leadSmartFields(),
    ...authorNames,
  },
});

function searchWords(row: {
  name: string | null;
  first_contact_name: string | null;
  url: string | null;
  description: string | null;
  emails: Email[];
  phones: Phone[];
}): Part[] {
  return [
    { text: row.name ?? row.first_contact_name },
    { text: row.url },
    { text: row.description },
    ...row.emails.map((one) => ({ text: one.email })),
    ...row.phones.map((one) => ({ phone: one.phone })),
  ];
}

function statusLabel(alias: string, ctx: Ctx) {
  const t = sql([alias]);
  return sql`(select sort_key(s.label) from lead_status s where s.organization_id = ${ctx.organization_id} and s.id = ${t}.status_id)`;
}
