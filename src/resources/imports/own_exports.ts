// The columns of this service's own exports. They have the names of fields, and money in them is in minor units.
import type { Directory } from "../../core/directory.ts";
import type { Resource } from "../../core/resource.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { madeAt } from "../../values/id.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { opportunityStatus } from "../opportunities/opportunity_status.ts";
import type { ObjectType } from "./import.ts";
import { pipelineTarget } from "./pipelines.ts";
import { suggested } from "./suggested.ts";
import { targetsOf } from "./targets.ts";

interface Found {
  name: string;
  samples: readonly string[];
  nested?: true;
}

/** What is suggested for a column, and how money is written in it. */
export interface Suggestion {
  suggested: string | null;
  unit?: "minor";
}

const kinds = { lead, contact, opportunity } as const;
type Kind = keyof typeof kinds;

const money: ReadonlySet<string> = new Set(["mrr", "value"]);

/** What each column seems to be for. `known` are the columns without the ids that name nothing here. */
export function suggestionsFor(
  directory: Directory,
  objectType: ObjectType,
  columns: readonly Found[],
  known: readonly Found[],
): Suggestion[] {
  const targets = targetsOf(directory, objectType);
  const kind = kindOf(objectType, columns);
  if (kind === null) {
    // Close exports amounts in the smallest unit too, and beside them as people write them.
    const isMinor = columns.some(({ name }) => name === "value_formatted");
    return suggested(targets, known).map((target, i) => ({
      suggested: target,
      ...(isMinor && columns[i]!.name === "value" && { unit: "minor" as const }),
    }));
  }

  // A column of ids, all of which are from elsewhere, is as if it were not there.
  const foreign = new Set(
    columns.filter(({ samples }, i) => samples.length > 0 && known[i]!.samples.length === 0).map(({ name }) => name),
  );
  const own = ownTargets(directory, kind, new Set(columns.map(({ name }) => name).filter((name) => !foreign.has(name))));
  for (const name of foreign) own.set(name, null);
  const used = new Set(columns.map(({ name }) => own.get(name)));
  const free = targets.filter(({ target, multiple }) => multiple || !used.has(target));
  const others = columns.filter(({ name }) => !own.has(name));
  const guesses = new Map(suggested(free, others).map((target, i) => [others[i]!.name, target]));
  return columns.map(({ name }) => ({
    suggested: own.get(name) ?? guesses.get(name) ?? null,
    ...(money.has(name) && { unit: "minor" as const }),
  }));
}

/** The kind of record that an export of this service has in each row; null for another file. Ids tell it, or else columns that only it has. */
function kindOf(objectType: ObjectType, columns: readonly Found[]): Kind | null {
  if (!Object.hasOwn(kinds, objectType)) return null;
  const ids = (column: string, kind: Kind) =>
    columns.some(({ name, samples }) => name === column && samples.some((one) => madeAt(kinds[kind].prefix, one) !== null));
  const [byId] = (Object.keys(kinds) as Kind[]).filter((kind) => ids("id", kind));
  if (byId !== undefined) return byId;
  const isOwn = ids("lead_id", "lead") || columns.some(({ name }) => /^more_(?:emails|phones|urls|addresses)$/.test(name));
  return isOwn ? (objectType as Kind) : null;
}

/** The target of each column that an export has; null for those that are only read. */
function ownTargets(directory: Directory, kind: Kind, names: ReadonlySet<string>): Map<string, string | null> {
  const of: Resource = kinds[kind];
  const prefix = kind === "lead" ? "" : `${kind}.`;
  const found = new Map<string, string | null>([...of.shown.map(([key]) => [key, null] as const), ["lead_name", null]]);
  for (const [name, target] of [...plain[kind], ...numbered(kind, prefix)]) found.set(name, target);
  // Tables name a custom field's column by its name, and JSON by its id.
  for (const [key, { name }] of customFieldsOf(directory, kind)) found.set(`custom.${name}`, prefix + key).set(key, prefix + key);
  if (kind !== "lead" && names.has("lead_id")) found.set("lead_id", "id");
  else if (kind !== "lead") found.set("lead_name", "name");
  if (kind === "opportunity") {
    const column = statusColumn(directory, names);
    found.set(column, "opportunity.status");
    if (column === "status_label" && !labelsDiffer(directory)) found.set("pipeline_name", pipelineTarget);
  }
  return found;
}

const same = (prefix: string, ...names: string[]) => names.map((name) => [name, prefix + name] as const);

const plain: Readonly<Record<Kind, readonly (readonly [string, string])[]>> = {
  lead: [
    ["status_label", "status"],
    ["owner_id", "owner"],
    ...same("", "id", "name", "url", "industry", "description", "mrr", "tags", "date_created"),
    ...same("", "address_1", "address_2", "city", "state", "zipcode", "country", "addresses"),
    ["emails", "email"],
    ["phones", "phone"],
    ["more_addresses", "addresses"],
    ["contacts", "contact.contacts"],
  ],
  contact: [
    ...same("contact.", "id", "name", "title", "tags", "date_created"),
    ["emails", "contact.email"],
    ["phones", "contact.phone"],
    ["urls", "contact.url"],
  ],
  opportunity: [
    ["value_currency", "opportunity.currency"],
    ...same("opportunity.", "id", "value", "value_period", "confidence", "note", "user_id", "contact_id"),
    ...same("opportunity.", "expected_close_date", "date_won", "date_lost", "date_created"),
  ],
};

/** Of what a record has several, the first ones have columns of their own. */
const numbered = (kind: Kind, prefix: string) =>
  (kind === "opportunity" ? [] : kind === "lead" ? ["email", "phone"] : ["email", "phone", "url"]).flatMap((one) =>
    [`${one}_1`, `${one}_2`, `${one}_3`, `more_${one}s`].map((name) => [name, prefix + one] as const),
  );

/** A label says which status it is unless several pipelines have it. */
function statusColumn(directory: Directory, names: ReadonlySet<string>): string {
  return (labelsDiffer(directory) && names.has("status_label")) || !names.has("status_id") ? "status_label" : "status_id";
}

function labelsDiffer(directory: Directory): boolean {
  const labels = directory.list(opportunityStatus).map(({ label }) => label.toLowerCase());
  return new Set(labels).size === labels.length;
}
