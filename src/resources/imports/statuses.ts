// The status that the words in a file mean: the one with this label, or else the first one of the kind that the words are of. Which words
// were taken so is told by the draft, by dry runs, and by the import.
import { type Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { opportunityStatus, type StatusType } from "../opportunities/opportunity_status.ts";
import { pipeline } from "../opportunities/pipeline.ts";
import type { Body } from "./bodies.ts";
import type { RowError, Taken } from "./import_rows.ts";
import { kindOfWords, plainLabel } from "./status_kinds.ts";

/** The kinds of record with a status, and the targets of those. */
const targets = { lead: "status", opportunity: "opportunity.status" } as const;
export type PartWithStatus = keyof typeof targets;
export const partsWithStatus = Object.keys(targets) as PartWithStatus[];

/** What a cell says; it is in the body until all cells of the row are read. */
export interface Word {
  column: string;
  text: string;
}

interface Status {
  id: string;
  label: string;
  kind: StatusType | null;
}

interface Meaning {
  /** Null where the words are of a kind that no status here is of. */
  status: Status | null;
  kind: StatusType | null;
  isLabel: boolean;
}

interface Put {
  taken: Taken[];
  /** No cell has the label of a status. */
  isByKind: boolean;
  errors: RowError[];
}

/** Gives the record the status that its cells mean: won and lost say more than a stage, and a label more than a kind. */
export function putStatus(ctx: Ctx, body: Body, part: PartWithStatus): Put {
  const { status_words: words = [] } = body as { status_words?: Word[] };
  delete body.status_words;
  const all = words.map(({ text }) => meaningOf(ctx.directory, part, text));
  const closed = [...new Set(all.map(({ kind }) => kind).filter((kind) => kind === "won" || kind === "lost"))];
  if (closed.length > 1) {
    const at = all.findLastIndex(({ kind }) => kind === closed[1]);
    const { column, text } = words[at]!;
    return {
      ...nothing,
      errors: [{ column, error: `${JSON.stringify(shown(text))} is ${closed[1]}, where another column says ${closed[0]}` }],
    };
  }
  const fitting = all.filter(({ status, kind }) => status !== null && (closed.length === 0 || kind === closed[0]));
  const found = (fitting.find(({ isLabel }) => isLabel) ?? fitting[0])?.status;
  if (found === undefined || found === null) {
    const errors = words.slice(0, 1).map(({ column, text }) => ({ column, error: unknown(ctx.directory, part, text) }));
    return { ...nothing, errors };
  }
  body.status_id = found.id;
  const taken = words.flatMap(({ column, text }, i) =>
    all[i]!.isLabel
      ? []
      : [{ column, value: shown(text), target: targets[part], status_id: found.id, status_label: found.label }],
  );
  return { taken, isByKind: !fitting.some(({ isLabel }) => isLabel), errors: [] };
}

const nothing: Put = { taken: [], isByKind: false, errors: [] };

/** The statuses that values of a column are taken for, by the value; null where there are none. */
export function suggestedMap(
  directory: Directory,
  target: string | null,
  values: readonly string[],
): Record<string, string> | null {
  const part = partsWithStatus.find((one) => targets[one] === target);
  if (part === undefined) return null;
  const taken = values.flatMap((value) => {
    const { status, isLabel } = meaningOf(directory, part, value);
    return isLabel || status === null ? [] : [[value, nameOf(directory, part, status)] as const];
  });
  return taken.length === 0 ? null : Object.fromEntries(taken);
}

/** Its label, unless that is another one's too. */
const nameOf = (directory: Directory, part: PartWithStatus, { id, label }: Status): string =>
  meaningOf(directory, part, label).status?.id === id ? label : id;

/** A status that was only taken by its kind does not change a record that has one of this kind. */
export function saysNoMore(directory: Directory, part: PartWithStatus, has: string | null, said: string | undefined): boolean {
  const kindOf = (id: string | null | undefined) => statusesOf(directory, part).byId.get(id ?? "")?.kind ?? null;
  return kindOf(has) !== null && kindOf(has) === kindOf(said);
}

const shown = (text: string): string => text.slice(0, 100).toWellFormed();

function unknown(directory: Directory, part: PartWithStatus, text: string): string {
  const labels = [...statusesOf(directory, part).byId.values()].map(({ label }) => label);
  const word = JSON.stringify(shown(text).slice(0, 60));
  return `${word} is not a status: there are ${[...new Set(labels)].join(", ")}; a transform with a map says which one it means`;
}

function meaningOf(directory: Directory, part: PartWithStatus, text: string): Meaning {
  const { byId, byLabel, byPlainLabel, byKind } = statusesOf(directory, part);
  const plain = plainLabel(text) === "" ? [] : (byPlainLabel.get(plainLabel(text)) ?? []);
  const named = byId.get(text) ?? byLabel.get(text.toLowerCase()) ?? (plain.length === 1 ? plain[0] : undefined);
  if (named !== undefined) return { status: named, kind: named.kind, isLabel: true };
  const kind = kindOfWords(text);
  return { status: (kind && byKind.get(kind)) ?? null, kind, isLabel: false };
}

interface Statuses {
  byId: ReadonlyMap<string, Status>;
  /** The first one of each label, in the order of pipelines. */
  byLabel: ReadonlyMap<string, Status>;
  byPlainLabel: ReadonlyMap<string, readonly Status[]>;
  byKind: ReadonlyMap<StatusType, Status>;
}

const statusesOf = (directory: Directory, part: PartWithStatus): Statuses =>
  directory.memo(`${part} statuses by words`, () => {
    const all = part === "lead" ? leadStatuses(directory) : dealStatuses(directory);
    const firstBy = <K>(key: (one: Status) => K) => new Map(all.toReversed().map((one) => [key(one), one]));
    const byKind = firstBy(({ kind }) => kind);
    byKind.delete(null);
    const byLabel = firstBy(({ label }) => label.toLowerCase());
    return {
      byId: new Map(all.map((one) => [one.id, one])),
      byLabel,
      byPlainLabel: Map.groupBy(byLabel.values(), ({ label }) => plainLabel(label)),
      byKind: byKind as ReadonlyMap<StatusType, Status>,
    };
  });

/** A lead status that has no meaning in reports is of the kind that its label says. */
const leadStatuses = (directory: Directory): Status[] =>
  directory.list(leadStatus).map(({ id, label, type }) => ({ id, label, kind: type ?? kindOfWords(label) }));

function dealStatuses(directory: Directory): Status[] {
  const all = directory.list(opportunityStatus);
  return directory
    .list(pipeline)
    .flatMap(({ id }) => all.filter((one) => one.pipeline_id === id))
    .map(({ id, label, type }) => ({ id, label, kind: type }));
}
