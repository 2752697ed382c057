// The reference at `/docs/`: pages about the operations, made from their definitions, and the guides. A page is made when somebody asks
// for it, and the latest stay.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { Registry } from "../core/registry.ts";
import type { Reference, ReferenceFile } from "../http/reference.ts";
import { html } from "../values/html_template.ts";
import { pageNamed } from "./areas.ts";
import { guideText, isGuide } from "./guides.ts";
import { type CatalogName, catalogPage } from "./pages/catalog.ts";
import { guidePage } from "./pages/guide.ts";
import { resourcePage } from "./pages/resource.ts";
import { startPage } from "./pages/start.ts";
import { errorsPage, eventsPage, limitsPage, permissionsPage } from "./pages/tables.ts";
import { searchIndex } from "./search_index.ts";
import { catalogPages, framed, type Shown, type Site } from "./site.ts";

export interface ReferenceOptions {
  registry: Registry;
  baseUrl: string;
  version: string;
  limits: Readonly<Record<string, { limit: number; seconds: number }>> | null;
}

/** All pages take about as much as this, and a service is asked for a few of them. */
const keptBytes = 8_000_000;

export function openReference(options: ReferenceOptions): Reference {
  const kept = new LRUCache<string, ReferenceFile>({ maxSize: keptBytes, sizeCalculation: ({ body }) => body.length + 500 });
  const making = new Map<string, Promise<ReferenceFile | null>>();
  let site: Promise<Site> | undefined;

  const make = async (path: string): Promise<ReferenceFile | null> => {
    // Whoever asks for many pages at once leaves turns to others.
    await nextTurn();
    const made = await fileAt(await (site ??= siteOf(options)), path);
    if (made !== null) kept.set(path, made);
    return made;
  };
  return {
    async file(path) {
      const known = kept.get(path);
      if (known !== undefined) return known;
      let waiting = making.get(path);
      if (waiting === undefined) making.set(path, (waiting = make(path).finally(() => making.delete(path))));
      return waiting;
    },
  };
}

async function siteOf({ registry, baseUrl, version, limits }: ReferenceOptions): Promise<Site> {
  const base = baseUrl.replace(/\/$/, "");
  const texts = await Promise.all(["style.css", "script.js", "icon.svg"].map(readStatic));
  const tag = createHash("sha256").update(version);
  for (const text of texts) tag.update(text);
  return {
    root: new URL(base).pathname.replace(/\/$/, ""),
    api: `${base}/api/v1`,
    version,
    registry,
    limits: limits && new Map(Object.entries(limits).map(([group, one]) => [group, `${one.limit} in ${one.seconds} seconds`])),
    stamp: tag.digest("hex").slice(0, 10),
  };
}

// The bundle lies as deep below the root as this file.
const readStatic = (name: string): Promise<string> =>
  readFile(new URL(`../../src/reference/static/${name}`, import.meta.url), "utf8");

const types: Record<string, string> = {
  "style.css": "text/css; charset=utf-8",
  "script.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
};

async function fileAt(site: Site, path: string): Promise<ReferenceFile | null> {
  if (Object.hasOwn(types, path)) return fileOf(types[path]!, await readStatic(path));
  if (path === "search.json") return fileOf("application/json; charset=utf-8", JSON.stringify(await searchIndex(site)));
  const [, source] = /^guides\/(.+)\.md$/.exec(path) ?? [];
  const text = source === undefined ? null : await guideText(source);
  if (text !== null) return fileOf("text/markdown; charset=utf-8", text);
  const shown = await pageAt(site, path);
  return shown && fileOf("text/html; charset=utf-8", framed(site, path, shown));
}

function fileOf(type: string, text: string): ReferenceFile {
  const body = Buffer.from(text);
  return { type, body, tag: createHash("sha256").update(body).digest("base64url").slice(0, 22) };
}

const tables: Record<string, (site: Site) => Shown> = {
  "events/": eventsPage,
  "errors/": errorsPage,
  "permissions/": permissionsPage,
  "limits/": limitsPage,
};

async function pageAt(site: Site, path: string): Promise<Shown | null> {
  if (path === "") return startPage(site);
  if (path === "missing/") return missingPage;
  if (Object.hasOwn(tables, path)) return tables[path]!(site);
  const [, folder, name] = /^(\w+)\/(.+)\/$/.exec(path) ?? [];
  if (folder === "guides" && isGuide(name!)) return guidePage(site, name!);
  if (folder === "automations" && catalogPages.some(([known]) => known === path)) return catalogPage(site, name as CatalogName);
  const page = folder === "resources" ? pageNamed(name!) : undefined;
  return page === undefined ? null : resourcePage(site, page);
}

const missingPage: Shown = {
  title: "Not found",
  body: html`<h1>There is no such page</h1><p>The list of all pages is beside this, or above it on a small screen.</p>`,
};
