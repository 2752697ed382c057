// Writes the JSON of a record in memory: for the answer to a write, for its event, and for the copy stored beside its row.
import type { Directory } from "../core/directory.ts";
import type { Moment } from "../core/field.ts";
import type { Resource, Row } from "../core/resource.ts";
import { jsonOf, quoteOrNull } from "../values/json_text.ts";
import { isInDirectory, type Part, partsOf } from "./parts.ts";

export type Lookup = (resource: string) => Resource | undefined;

/**
 * The record as a read would show it. If the resource stores renderings, looked-up values come after the rendering. Labels that
 * need a join are left out.
 */
export function renderRow<R extends Resource>(of: R, row: Row<R>, directory: Directory, moment: Moment, lookup: Lookup): string {
  const kept = texts.get(row);
  if (kept !== undefined && kept.directory === directory && kept.moment === moment) return kept.text;
  const found = (part: Part) => lookedUpText(part, row as Record<string, unknown>, directory, moment, lookup);
  const members = of.rendered === undefined ? membersOf(of, row, found) : `${renderStored(of, row)}${membersBehind(of, found)}`;
  const text = `{${members}}`;
  texts.set(row, { directory, moment, text });
  return text;
}

// One write shows a row up to three times: in its rendering, in its event, in the answer.
const texts = new WeakMap<object, { directory: Directory; moment: Moment; text: string }>();
const storedTexts = new WeakMap<object, string>();

/** Everything that is computed from the row alone, without looked-up values. */
export function renderStored<R extends Resource>(of: R, row: Row<R>): string {
  let text = storedTexts.get(row);
  if (text === undefined) storedTexts.set(row, (text = membersOf(of, row, () => undefined)));
  return text;
}

type Found = (part: Part) => string | undefined;

/** The members of a record's JSON in their order. `found` gives the values that do not come from the row. */
function membersOf<R extends Resource>(of: R, row: Row<R>, found: Found): string {
  const record = row as unknown as Record<string, unknown>;
  let text = "";
  for (const part of partsOf(of)) {
    if (part.kind === "custom") {
      for (const [name, value] of Object.entries((record.custom ?? {}) as object))
        text += `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
    } else if (!part.isOnDemand) {
      const value = part.kind === "own" ? ownText(part, record) : found(part);
      if (value !== undefined) text += `,"${part.key}":${value}`;
    }
  }
  return text.slice(1);
}

function membersBehind(of: Resource, found: Found): string {
  let text = "";
  for (const part of partsOf(of)) {
    const value = found(part);
    if (value !== undefined) text += `,"${part.key}":${value}`;
  }
  return text;
}

function ownText({ key, field }: Extract<Part, { kind: "own" }>, record: Record<string, unknown>): string | undefined {
  const value = field.source === "column" ? record[key] : field.get(...field.of.map((name) => record[name]));
  return value === undefined ? undefined : jsonOf(value);
}

function lookedUpText(
  part: Part,
  record: Record<string, unknown>,
  directory: Directory,
  moment: Moment,
  lookup: Lookup,
): string | undefined {
  if (part.kind !== "lookedUp" || part.isOnDemand) return undefined;
  const { field } = part;
  if (field.source === "lookedUp")
    return JSON.stringify(field.get(directory, ...field.of.map((name) => record[name]), moment)) ?? "null";
  const id = record[field.ref];
  if (typeof id !== "string") return quoteOrNull(field.kept === null ? null : record[field.kept]);
  return isInDirectory(lookup(field.to)) ? quoteOrNull(directory.find(field.to, id)?.[field.field]) : undefined;
}

/**
 * True if a read would show the same bytes as this record in memory: no joined labels, nothing from other rows, and no JSON that
 * PostgreSQL formats in its own way, unless a rendering is stored.
 */
export const isSelfContained = <R extends Resource>(of: R, row: Row<R>, lookup: Lookup): boolean =>
  partsOf(of).every((part) => {
    if (part.kind === "custom") return of.rendered !== undefined;
    if (part.kind === "related") return part.isOnDemand;
    if (part.field.source === "label")
      return isInDirectory(lookup(part.field.to)) || (row as Record<string, unknown>)[part.field.ref] === null;
    return part.field.source !== "column" || part.field.type !== "json" || of.rendered !== undefined;
  });
