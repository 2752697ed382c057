// The erasing of a person: what somebody asked for, how far it is, and in the end a receipt that holds none of the person's data.
import { z } from "zod";
import { boolean, choice, json, text, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import type { Person } from "./person.ts";
import { receipt } from "./receipt.ts";

/** How far the work is. */
export interface ErasingPlace {
  step: "records" | "exports" | "files" | "rows" | "again" | "copies";
  /** What the step has done last: the id of a file, or a table and the key of its row. */
  table?: string;
  after?: string[] | null;
}

export const erasure = resource({
  name: "erasure",
  prefix: "erase",
  doc: "The erasing of a person, on their request.",
  event: null,
  mcp: false,
  fields: {
    contact_id: text({ required: true, readOnly: true, max: 64, doc: "The contact who is erased. The id stays here." }),
    lead_id: text({ required: true, readOnly: true, max: 64, doc: "The contact's lead." }),
    keep_files: boolean({
      readOnly: true,
      default: false,
      doc: "Files of other records that name the person stay, and the receipt lists them.",
    }),
    status: choice(["queued", "running", "completed"], { readOnly: true, default: "queued" }),
    receipt: json(receipt, { readOnly: true, doc: "What was done. Complete with the status `completed`." }),
    date_started: timestamp({ readOnly: true }),
    date_completed: timestamp({ readOnly: true }),
    person: json(z.custom<Person>(), { readOnly: true, hidden: true }),
    place: json(z.custom<ErasingPlace>(), { readOnly: true, hidden: true }),
  },
});

/** The kind of work. */
export const erasureJobs = { kind: "erase_person" } as const;
