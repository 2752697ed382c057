// A project: work in several steps, with or without a lead.
import { choice, date, integer, label, naming, number, ref, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { searched } from "../../search/searched.ts";
import { visibleAsLastLead } from "../leads/visibility.ts";
import { dateCreated, pastMoment } from "../shared/history.ts";
import { authorNames } from "../shared/names.ts";
import { otherName } from "../shared/other_names.ts";

const link = { onDelete: "clear", onMove: "clear" } as const;

export const project = resource({
  name: "project",
  prefix: "proj",
  doc: "Work in several steps, such as bringing a new customer on board. Its steps are project tasks.",
  commentable: true,
  custom: "project",
  visible: visibleAsLastLead,
  indexed: ["lead_id", "opportunity_id", "contact_id", "owner_id"],
  sort: { name: true, end_date: true },
  search: searched({
    words: (row: { name: string; description: string | null; labels: string[] }) => [
      { text: row.name },
      { text: row.description },
      ...row.labels.map((one) => ({ text: one })),
    ],
    covers: ["name", "description"],
  }),
  expand: {
    lead: { resource: "lead", via: "lead_id", many: false },
    opportunity: { resource: "opportunity", via: "opportunity_id", many: false },
    contact: { resource: "contact", via: "contact_id", many: false },
    tasks: { resource: "project_task", via: "project_id", many: true },
  },
  fields: {
    name: text({ filled: true, doc: "What people call it; it is required." }),
    title: otherName("name", text({ filled: true })),
    description: text({ max: 100_000 }),
    status: choice(["open", "completed", "canceled"], { default: "open" }),
    lead_id: ref("lead", link, { doc: "The lead; by default the opportunity's or the contact's." }),
    lead_name: label("lead_id", "lead", "display_name", "The lead's name; it stays when the lead is deleted.", "kept_lead_name"),
    kept_lead_name: text({ readOnly: true, hidden: true, max: 1000 }),
    opportunity_id: ref("opportunity", link, { doc: "A deal of the lead." }),
    contact_id: ref("contact", link, { doc: "A contact of the lead." }),
    contact_name: label("contact_id", "contact", "display_name"),
    owner_id: ref("user", { onDelete: "keep", onMove: "clear" }, { doc: "The responsible member; by default the caller." }),
    owner_name: label("owner_id", "user", "name"),
    member_ids: texts({ default: [] as string[], max: 200, names: naming("user"), doc: "The members who work on it." }),
    start_date: date(),
    end_date: date({ doc: "Not before `start_date`." }),
    due_date: otherName("end_date", date()),
    phase: text({ doc: "The progress, in your own words." }),
    labels: texts({ default: [] as string[], max: 100, doc: "Words that it is marked with." }),
    progress: number({ readOnly: true, default: 0, doc: "The share of completed tasks: 0 to 1." }),
    task_count: integer({ readOnly: true, default: 0, doc: "How many tasks it has." }),
    completed_task_count: integer({ readOnly: true, default: 0, doc: "How many of its tasks are completed." }),
    date_completed: timestamp({
      resolve: pastMoment,
      doc: "When it was completed; null until then. By default a given `date_created`, else now.",
    }),
    date_created: dateCreated,
    ...authorNames,
  },
});
