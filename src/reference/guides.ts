// The guides: which of them there are, in which order they are read, and their texts.
import { readFile } from "node:fs/promises";

export interface Guide {
  /** Its file below `docs/`, without the ending, which is its place in addresses too. */
  name: string;
  title: string;
}

export interface GuideGroup {
  title: string;
  guides: readonly Guide[];
}

const group = (title: string, guides: Record<string, string>): GuideGroup => ({
  title,
  guides: Object.entries(guides).map(([name, one]) => ({ name, title: one })),
});

export const guideGroups: readonly GuideGroup[] = [
  group("Begin", {
    "first-call": "Your first call",
    tour: "Five minutes with curl",
    keys: "Keys and permissions",
    lists: "Lists and paging",
    filters: "Filters and search",
    errors: "Errors and limits",
    retries: "Retries and concurrency",
    undo: "Trying and undoing",
  }),
  group("Events", { "following-events": "Following events", webhooks: "Webhooks" }),
  group("Selling", {
    mail: "Mail",
    "mail-hygiene": "Unsubscribing and bounces",
    sequences: "Sequences",
    telephony: "Texts and calls",
    calendars: "Calendars",
    quotes: "Quotes",
    files: "Files",
    enrichment: "Enrichment",
  }),
  group("Automations and agents", { automations: "Automations", agents: "Agents" }),
  group("Moving data", { imports: "Imports of history", moving: "Moving a lead", "mailing-exports": "Mailing exports" }),
  group("Operating", {
    configuration: "Configuration",
    "signing-in": "Signing in",
    operations: "Operations",
    background: "In the background",
    growing: "Growing",
    reliability: "Reliability",
  }),
  group("Changing the service", {
    "adding-a-resource": "Adding a resource",
    "adding-a-job": "Adding a job",
    glossary: "Glossary",
  }),
];

export const guides: readonly Guide[] = guideGroups.flatMap((one) => one.guides);
const byName = new Map(guides.map((one) => [one.name, one]));

/** Records of decisions, which guides name. They are numbered. */
const decision = /^decisions\/\d{4}-[a-z0-9-]+$/;

export const isGuide = (name: string): boolean => byName.has(name) || decision.test(name);

// The bundle lies as deep below the root as this file.
const folder = new URL("../../docs/", import.meta.url);

/** The text of a guide; null if there is none. */
export async function guideText(name: string): Promise<string | null> {
  if (!isGuide(name)) return null;
  return readFile(new URL(`${name}.md`, folder), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

export const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? "Guide";
