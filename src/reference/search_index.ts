// What the search of the reference knows: pages, operations, fields, types of the catalogs, and the headings of the guides.
import type { Operation } from "../core/operation.ts";
import { docOf } from "../records/field_docs.ts";
import { shownConditions, shownSteps, shownTriggers } from "../resources/automations/catalogs.ts";
import { eventNames } from "../resources/events/event_names.ts";
import { areas } from "./areas.ts";
import { type Guide, guides, guideText } from "./guides.ts";
import { renderMarkdown } from "./markdown.ts";
import { firstSentence } from "./pages/operation.ts";
import { anchorsOf, operationsOf } from "./pages/resource.ts";
import { catalogPages, type Site, tablePages } from "./site.ts";

/** The kind, what is shown, what else it is found by, and where it is below `/docs/`. */
export type Entry = [kind: string, title: string, words: string, path: string];

export async function searchIndex(site: Site): Promise<Entry[]> {
  const pages = areas.flatMap((area) => area.pages);
  return [
    ...pages.map((page): Entry => ["page", page.title, page.name, `resources/${page.name}/`]),
    ...[...catalogPages, ...tablePages].map(([path, title]): Entry => ["page", title, "", path]),
    ...(await guideEntries()),
    ...pages.flatMap((page) => {
      const operations = operationsOf(site, page);
      const anchors = anchorsOf(operations, page);
      return operations.map((one, i) => operationEntry(one, `resources/${page.name}/#${anchors[i]!}`));
    }),
    ...catalogEntries("triggers", shownTriggers()),
    ...catalogEntries("conditions", shownConditions()),
    ...catalogEntries("steps", shownSteps()),
    ...eventNames.map(({ name, type }): Entry => ["event", name, "", `events/#${type}`]),
    ...fieldEntries(site),
  ];
}

const operationEntry = ({ method, path, doc, name }: Operation, place: string): Entry => [
  "operation",
  firstSentence(doc),
  `${method} ${path} ${name}`,
  place,
];

/** In the order of the guides. Those of one guide are the guide itself and its headings. */
async function guideEntries(): Promise<Entry[]> {
  const all = await Promise.all(guides.map(async (guide) => readGuide(guide, (await guideText(guide.name)) ?? "")));
  const usual = all.reduce((sum, { length }) => sum + length, 0) / all.length;
  return all.flatMap(({ name, title, headings, counts, length }): Entry[] => {
    const place = `guides/${name}/`;
    return [
      ["guide", title, inGroups(counts, length / usual), place],
      ...headings.map(({ id, text }): Entry => ["guide", `${title}: ${text}`, "", `${place}#${id}`]),
    ];
  });
}

/** A heading says as much about what a guide is about as this many sentences. */
const headingWorth = 5;

function readGuide({ name, title }: Guide, text: string) {
  const { headings } = renderMarkdown(text, "", () => null);
  const words = wordsOf(text);
  const counts = new Map<string, number>();
  const count = (word: string, by: number) => counts.set(word, (counts.get(word) ?? 0) + by);
  for (const word of words) count(word, 1);
  for (const heading of headings) for (const word of wordsOf(heading.text)) count(word, headingWorth);
  return { name, title, headings, counts, length: words.length };
}

/** `idempotency-key` is also `idempotency` and `key`. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\d_-]{3,40}/gu) ?? []).flatMap((word) => [
    word,
    ...(word.includes("-") ? word.split("-").filter((part) => part.length >= 3) : []),
  ]);

const groups = 8;

/**
 * Each word of a guide once. The groups are parted by `;`: the first has what the guide is about, and the last what it only names.
 * How often a word is there counts for less in a long guide, as in BM25.
 */
function inGroups(counts: ReadonlyMap<string, number>, length: number): string {
  const all: string[][] = Array.from({ length: groups }, () => []);
  for (const [word, count] of counts) all[Math.floor((1 - count / (count + 1.2 * length)) * groups)]!.push(word);
  return all.map((words) => words.join(" ")).join(";");
}

const catalogEntries = (name: string, types: readonly { type: string; description: string }[]): Entry[] =>
  types.map((one) => [name.slice(0, -1), one.type, one.description, `automations/${name}/#${one.type}`]);

function fieldEntries(site: Site): Entry[] {
  return areas
    .flatMap((area) => area.pages)
    .flatMap((page) => {
      const resources = new Set(operationsOf(site, page).flatMap(({ resource }) => resource ?? []));
      return [...resources].flatMap((of) =>
        of.shown.map(
          ([key, spec]): Entry => ["field", `${of.name}.${key}`, docOf(key, spec), `resources/${page.name}/#object-${of.name}`],
        ),
      );
    });
}
