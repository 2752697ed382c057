// An enrichment: a lookup of data about a lead or a contact at an outside provider.
import { z } from "zod";
import { boolean, choice, integer, json, ref, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { visibleAsLead } from "../leads/visibility.ts";

export const providers = ["apollo", "clearbit", "hunter", "internal"] as const;

const word = z.string().nullable();
const words = (...names: string[]) => z.object(Object.fromEntries(names.map((name) => [name, word.optional()]))).partial();

const person = words("name", "title", "headline", "seniority", "linkedin_url", "location");
const company = words("name", "domain", "industry", "linkedin_url", "phone", "address").extend({
  employee_count: z.number().nullish(),
  annual_revenue: z.number().nullish(),
  founded_year: z.number().nullish(),
  technologies: z.array(z.string()).nullish(),
});

export const enrichment = resource({
  name: "enrichment",
  prefix: "enri",
  doc: "A lookup of data about a lead or a contact at an outside provider.",
  visible: visibleAsLead,
  indexed: ["lead_id", "contact_id"],
  fields: {
    object_type: choice(["lead", "contact"], { readOnly: true, required: true }),
    object_id: text({ readOnly: true, required: true, doc: "The lead or the contact." }),
    lead_id: ref("lead", { onDelete: "cascade", onMove: "follow" }, { readOnly: true, required: true }),
    contact_id: ref("contact", { onDelete: "clear", onMove: "follow" }, { readOnly: true }),
    provider: choice(providers, {
      readOnly: true,
      default: "internal",
      doc: "The provider; `internal` uses only the e-mail address.",
    }),
    status: choice(["queued", "running", "completed", "no_match", "failed"], { readOnly: true, default: "queued" }),
    requested_fields: texts({ readOnly: true, default: null as string[] | null, doc: "Null for all." }),
    overwrite: boolean({ readOnly: true, default: false, doc: "Without it, only empty fields are filled." }),
    result: json(z.object({ person: person.nullish(), organization: company.nullish() }), {
      readOnly: true,
      doc: "What was found.",
    }),
    fields_updated: texts({ readOnly: true, default: [] as string[] }),
    children_ids: texts({
      readOnly: true,
      default: [] as string[],
      doc: "The enrichments of contacts that this enrichment of a lead started.",
    }),
    credits_used: integer({ readOnly: true, default: 0 }),
    error: text({ readOnly: true, max: 1000 }),
    started_at: timestamp({ readOnly: true }),
    completed_at: timestamp({ readOnly: true }),
  },
});
