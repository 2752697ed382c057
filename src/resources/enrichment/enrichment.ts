// An enrichment: a lookup of what is known elsewhere about a lead or a contact.
import { z } from "zod";
import { boolean, choice, date, integer, json, ref, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { visibleAsLead } from "../leads/visibility.ts";

export const providers = ["internal", "peopledatalabs"] as const;
export type Provider = (typeof providers)[number];

const word = z.string().nullable();
const words = <const N extends string>(...names: N[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, word.optional()])) as Record<N, z.ZodOptional<typeof word>>);

const person = words("name", "title", "headline", "seniority", "linkedin_url", "location", "country");
const company = words(
  "name",
  "domain",
  "description",
  "industry",
  "logo_url",
  "linkedin_url",
  "twitter_url",
  "facebook_url",
  "phone",
  "address",
).extend({
  employee_count: z.number().nullish(),
  annual_revenue: z.number().nullish(),
  founded_year: z.number().nullish(),
  technologies: z.array(z.string()).nullish(),
});

export const sources = ["email", "phone", "website", "peopledatalabs"] as const;

const applied = z.object({
  field: z.string(),
  old: z.unknown(),
  new: z.unknown(),
  source: z.enum(sources),
  confidence: z.number(),
});

const asking = z.object({
  name: z.enum(sources),
  status: z.enum(["match", "no_match", "unavailable"]),
  fields_found: z.array(z.string()),
  credits_used: z.int(),
});

const skipped = z.object({ field: z.string(), reason: z.enum(["has_value", "low_confidence", "invalid"]) });

export interface Result {
  person?: z.output<typeof person>;
  organization?: z.output<typeof company>;
}

export const enrichment = resource({
  name: "enrichment",
  prefix: "enri",
  doc: "A lookup of what is known elsewhere about a lead or a contact.",
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
      doc: "`internal` uses the e-mail address, the phone number and the company's website; a provider is asked after them.",
    }),
    status: choice(["queued", "running", "completed", "no_match", "failed"], { readOnly: true, default: "queued" }),
    requested_fields: texts({ readOnly: true, default: null as string[] | null, doc: "Null for all." }),
    overwrite: boolean({
      readOnly: true,
      default: false,
      doc: "Without it, only empty fields are filled, and those whose value is from an earlier enrichment.",
    }),
    result: json(z.object({ person: person.nullish(), organization: company.nullish() }), {
      readOnly: true,
      doc: "What was found.",
    }),
    fields_updated: texts({ readOnly: true, default: [] as string[], doc: "The fields that were filled." }),
    applied: json(z.array(applied), {
      readOnly: true,
      default: [] as z.output<typeof applied>[],
      doc: "Each field that was filled: its value before and after, the source, and how sure that is, up to 1.",
    }),
    skipped: json(z.array(skipped), {
      readOnly: true,
      default: [] as z.output<typeof skipped>[],
      doc: "The fields for which something was found that was not written, and why.",
    }),
    providers: json(z.array(asking), {
      readOnly: true,
      default: [] as z.output<typeof asking>[],
      doc: "The sources that were asked, in their order: whether each knew something, for which fields, and the credits that it took. `unavailable` ones may know something another time.",
    }),
    children_ids: texts({
      readOnly: true,
      default: [] as string[],
      doc: "The enrichments of contacts that this enrichment of a lead started.",
    }),
    credits_used: integer({ readOnly: true, default: 0, doc: "How many credits it took." }),
    error: text({ readOnly: true, max: 1000, doc: "Why it failed, or why a provider could not be asked." }),
    started_at: timestamp({ readOnly: true }),
    completed_at: timestamp({ readOnly: true }),
    attempts: integer({ readOnly: true, hidden: true, default: 0, doc: "Requests to the provider that came to nothing." }),
    credit_day: date({ readOnly: true, hidden: true, doc: "The day whose credit was taken." }),
    origin: json(z.record(z.string(), z.unknown()), {
      readOnly: true,
      hidden: true,
      default: {} as Record<string, unknown>,
      doc: "Of the automation that asked for it, for the events that follow.",
    }),
  },
});

export type Applied = z.output<typeof applied>;
export type Asking = z.output<typeof asking>;
export type Skipped = z.output<typeof skipped>;
