// A contact: a person at a lead.
import { z } from "zod";
import { choice, computed, formed, input, json, ref, searchable, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { textQuery } from "../../search/text_filter.ts";
import { vector } from "../../search/words.ts";
import { isTimeZone } from "../../values/time.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { listFilters, listIds } from "../lists/list_fields.ts";
import { type Email, emailKeys, emails, type Phone, phoneKeys, phones, urls } from "../shared/contact_points.ts";
import { emailFilter, phoneFilter, tagFilter } from "../shared/filters.ts";
import { authorNames } from "../shared/names.ts";
import { tagNames } from "../tags/tag_names.ts";

export const contact = resource({
  name: "contact",
  prefix: "cont",
  doc: "A person at a lead.",
  custom: "contact",
  rendered: 1,
  visible: visibleAsLead,
  indexed: ["lead_id"],
  sort: { name: true, display_name: true },
  filters: { query: textQuery("contact"), email: emailFilter, phone: phoneFilter, tag: tagFilter, ...listFilters("contact") },
  expand: { lead: { resource: "lead", via: "lead_id", many: false } },
  fields: {
    lead_id: ref(
      "lead",
      { onDelete: "cascade", onMove: "follow" },
      { filled: true, doc: "The lead; where none is given, one named after the contact is created." },
    ),
    name: text({ doc: "The full name." }),
    first_name: input(z.string().max(255), { doc: "With `last_name`, in place of `name`." }),
    last_name: input(z.string().max(255)),
    display_name: text({
      required: true,
      derive: displayName,
      doc: "The name, else an e-mail address, else a phone number, else `Untitled`.",
    }),
    title: text({ doc: "The position at the company." }),
    emails: emails("E-mail addresses."),
    phones: phones("Phone numbers."),
    urls: urls("Web addresses."),
    tags: tagNames("Names of contact tags; unknown ones are created."),
    list_ids: listIds("contact"),
    timezone: formed((raw) => (isTimeZone(raw) ? raw : null), "must be a time zone such as Europe/Berlin"),
    timezone_source: choice(["contact", "lead", "phone"], { readOnly: true }),
    enrichment_status: text({ readOnly: true }),
    enriched_at: timestamp({ readOnly: true }),
    share_id: text({ readOnly: true, doc: "The same on every copy of one shared person." }),
    is_shared: computed(["share_id"], z.boolean(), (share_id) => share_id !== null),
    shared_at: timestamp({ readOnly: true, hidden: true, doc: "Since when it is one of them." }),
    external_profiles: json(z.array(z.looseObject({})), { readOnly: true, default: [] as object[] }),
    email_keys: texts({ default: [] as string[], hidden: true, derive: emailKeys }),
    phone_keys: texts({ default: [] as string[], hidden: true, derive: phoneKeys }),
    search: searchable(searchWords),
    ...authorNames,
  },
});

function displayName(row: { name: string | null; emails: Email[]; phones: Phone[] }): string {
  return row.name ?? row.emails[0]?.email ?? row.phones[0]?.phone ?? "Untitled";
}

function searchWords(row: { name: string | null; title: string | null; emails: Email[]; phones: Phone[] }): string {
  return vector([
    { text: row.name },
    { text: row.title },
    ...row.emails.map((one) => ({ text: one.email })),
    ...row.phones.map((one) => ({ phone: one.phone })),
  ]);
}
