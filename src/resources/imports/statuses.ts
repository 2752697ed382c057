// The status that the words in a file mean: the one with this label, or else the first one of the kind that the words are of. Which words
// were taken so is told by the draft, by dry runs, and by the import.
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { opportunityStatus, type StatusType } from "../opportunities/opportunity_status.ts";
import { pipeline } from "../opportunities/pipeline.ts";
import type { Body } from "./bodies.ts";
import type { RowError, Taken } from "./import_rows.ts";
import { notPipeline, pipelineOf, pipelineTarget, type Within } from "./pipelines.ts";
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
  /** Of a deal. */
  pipeline_id?: string;
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
  within: Within | null;
  errors: RowError[];
}

/**
 * Gives the record the status that its cells mean: won and lost say more than a stage, and a label more than a kind. Where a cell says the
 * pipeline, it is one of its statuses.
 */
export function putStatus(ctx: Ctx, body: Body, part: PartWithStatus): Put {
  const { status_words: words = [], pipeline_word } = body as { status_words?: Word[]; pipeline_word?: Word };
  delete body.status_words;
  delete body.pipeline_word;
  // A pipeline alone makes no deal.
  if (words.length === 0 && Object.keys(body).length === 0) return nothing;
  const named = pipeline_word === undefined ? null : pipelineOf(ctx.directory, pipeline_word.text);
  if (pipeline_word !== undefined && named === null)
    return refused(pipeline_word.column, notPipeline(ctx.directory, pipeline_word.text));
  const within = named && { ...named, isAlone: words.length === 0 };
  const all = words.map(({ text }) => meaningOf(ctx.directory, part, text, within));
  const closed = [...new Set(all.map(({ kind }) => kind).filter((kind) => kind === "won" || kind === "lost"))];
  if (closed.length > 1) {
    const at = all.findLastIndex(({ kind }) => kind === closed[1]);
    const { column, text } = words[at]!;
    return refused(column, `${JSON.stringify(shown(text))} is ${closed[1]}, where another column says ${closed[0]}`);
  }
  const fitting = all.filter(({ status, kind }) => status !== null && (closed.length === 0 || kind === closed[0]));
  const said = (fitting.find(({ isLabel }) => isLabel) ?? fitting[0])?.status ?? null;
  const found = within?.isAlone ? firstOf(ctx.directory, within) : said;
  if (found === null) {
    const [word] = words;
    return word === undefined ? nothing : refused(word.column, unknown(ctx.directory, part, word.text, within));
  }
  body.status_id = found.id;
  const told = { status_id: found.id, status_label: found.label };
  const taken: Taken[] = words.flatMap(({ column, text }, i) =>
    all[i]!.isLabel ? [] : [{ column, value: shown(text), target: targets[part], ...told }],
  );
  if (within?.isNamed === false)
    taken.push({ column: pipeline_word!.column, value: shown(pipeline_word!.text), target: pipelineTarget, ...told });
  return { taken, isByKind: !fitting.some(({ isLabel }) => isLabel), within, errors: [] };
}

const nothing: Put = { taken: [], isByKind: false, within: null, errors: [] };
const refused = (column: string, error: string): Put => ({ ...nothing, errors: [{ column, error }] });

/** The statuses, or the pipelines, that values of a column are taken for, by the value; null where there are none. */
export function suggestedMap(
  directory: Directory,
  target: string | null,
  values: readonly string[],
): Record<string, string> | null {
  const part = partsWithStatus.find((one) => targets[one] === target);
  if (part === undefined && target !== pipelineTarget) return null;
  const taken = values.flatMap((value) => {
    if (part === undefined) {
      const found = pipelineOf(directory, value);
      return found === null || found.isNamed ? [] : [[value, found.name] as const];
    }
    const { status, isLabel } = meaningOf(directory, part, value, null);
    return isLabel || status === null ? [] : [[value, nameOf(directory, part, status)] as const];
  });
  return taken.length === 0 ? null : Object.fromEntries(taken);
}

/** Its label, unless that is another one's too. */
const nameOf = (directory: Directory, part: PartWithStatus, { id, label }: Status): string =>
  meaningOf(directory, part, label, null).status?.id === id ? label : id;

/** A status that was only taken by its kind does not change a record that has one of this kind. */
export function saysNoMore(directory: Directory, part: PartWithStatus, has: string | null, said: string | undefined): boolean {
  const kindOf = (id: string | null | undefined) => statusesOf(directory, part, null).byId.get(id ?? "")?.kind ?? null;
  return kindOf(has) !== null && kindOf(has) === kindOf(said);
}

/** The same for a deal. One that is in the pipeline keeps its stage, and another one gets one of its own kind there. Undefined if it stays. */
export function statusOn(directory: Directory, has: string, said: string, within: Within | null): string | undefined {
  if (within === null) return saysNoMore(directory, "opportunity", has, said) ? undefined : said;
  const now = statusesOf(directory, "opportunity", null).byId.get(has);
  const isThere = now?.pipeline_id === within.id;
  if (isThere && (within.isAlone || saysNoMore(directory, "opportunity", has, said))) return undefined;
  if (!within.isAlone || now === undefined || now.kind === null) return said;
  return statusesOf(directory, "opportunity", within).byKind.get(now.kind)?.id ?? said;
}

const firstOf = (directory: Directory, within: Within): Status | null =>
  statusesOf(directory, "opportunity", within).byId.values().next().value ?? null;

const shown = (text: string): string => text.slice(0, 100).toWellFormed();

function unknown(directory: Directory, part: PartWithStatus, text: string, within: Within | null): string {
  const labels = [...statusesOf(directory, part, within).byId.values()].map(({ label }) => label);
  const word = JSON.stringify(shown(text).slice(0, 60));
  const where = within === null ? "" : ` of the pipeline ${within.name}`;
  return `${word} is not a status${where}: there are ${[...new Set(labels)].join(", ")}; a transform with a map says which one it means`;
}

function meaningOf(directory: Directory, part: PartWithStatus, text: string, within: Within | null): Meaning {
  const { byId, byLabel, byPlainLabel, byKind } = statusesOf(directory, part, within);
  const plain = plainLabel(text) === "" ? [] : (byPlainLabel.get(plainLabel(text)) ?? []);
  const named = byId.get(text) ?? byLabel.get(text.toLowerCase()) ?? (plain.length === 1 ? plain[0] : undefined);
  if (named !== undefined) return { status: named, kind: named.kind, isLabel: true };
  // A stage that only another pipeline has says at least whether the deal is open.
  const elsewhere = within === null ? undefined : statusesOf(directory, part, null).byLabel.get(text.toLowerCase());
  const kind = kindOfWords(text) ?? elsewhere?.kind ?? null;
  return { status: (kind && byKind.get(kind)) ?? null, kind, isLabel: false };
}

interface Statuses {
  byId: ReadonlyMap<string, Status>;
  /** The first one of each label, in the order of pipelines. */
  byLabel: ReadonlyMap<string, Status>;
  byPlainLabel: ReadonlyMap<string, readonly Status[]>;
  byKind: ReadonlyMap<StatusType, Status>;
}

/** All of them, or those of a pipeline. */
const statusesOf = (directory: Directory, part: PartWithStatus, within: Within | null): Statuses =>
  directory.memo(`${part} statuses by words ${within?.id ?? ""}`, () => {
    const every = part === "lead" ? leadStatuses(directory) : dealStatuses(directory);
    const all = within === null ? every : every.filter(({ pipeline_id }) => pipeline_id === within.id);
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
    .map(({ id, label, type, pipeline_id }) => ({ id, label, kind: type, pipeline_id }));
}
