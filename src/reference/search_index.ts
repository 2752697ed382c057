// What the search of the reference knows: pages, operations, fields, types of the catalogs, and the headings of the guides.
import type { Operation } from "../core/operation.ts";
import { docOf } from "../records/field_docs.ts";
import { shownConditions, shownSteps, shownTriggers } from "../resources/automations/catalogs.ts";
import { eventNames } from "../resources/events/event_names.ts";
import { areas } from "./areas.ts";
import { guides, guideText } from "./guides.ts";
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
    ...(await Promise.all(guides.map(({ name, title }) => guideEntries(name, title)))).flat(),
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

async function guideEntries(name: string, title: string): Promise<Entry[]> {
  const text = (await guideText(name)) ?? "";
  const { headings } = renderMarkdown(text, "", () => null);
  const place = `guides/${name}/`;
  return [
    ["guide", title, wordsOf(text), place],
    ...headings.map(({ id, text }): Entry => ["guide", `${title}: ${text}`, "", `${place}#${id}`]),
  ];
}

/** Each word of a guide once. */
const wordsOf = (text: string): string => [...new Set(text.toLowerCase().match(/[\p{L}\d_-]{3,40}/gu))].join(" ");

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
