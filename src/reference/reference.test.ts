// The reference as a reader finds it: all of it is there, its links lead somewhere, and nothing of it comes from elsewhere.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type Service, service, startService } from "../../test/support/service.ts";
import { docOf } from "../records/field_docs.ts";
import { unescapeHtml } from "../values/html.ts";
import { areas } from "./areas.ts";
import { guides } from "./guides.ts";
import { catalogPages, tablePages } from "./site.ts";

let on: Service;
const pages = new Map<string, string>();

/** All that the navigation leads to. */
const paths = [
  "",
  ...guides.map(({ name }) => `guides/${name}/`),
  ...areas.flatMap(({ pages }) => pages.map(({ name }) => `resources/${name}/`)),
  ...[...catalogPages, ...tablePages].map(([path]) => path),
];

before(async () => {
  on = await service();
  for (const path of paths) {
    const answer = await fetch(`${on.url}/docs/${path}`);
    assert.equal(answer.status, 200, path);
    pages.set(path, await answer.text());
  }
});

const linksOf = (text: string) => [...text.matchAll(/ href="([^"]+)"/g)].map(([, address]) => unescapeHtml(address!));
const idsOf = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);

describe("the reference", () => {
  test("every operation is on the page of its resource, with its permission, its scope, its rate group and its errors", () => {
    const { operations } = on.app.core.registry;
    for (const { name, method, path, scope, group, permission } of operations) {
      const page = areas.flatMap((area) => area.pages).find(({ parts }) => parts.includes(name.slice(0, name.indexOf("."))));
      assert.ok(page, `${name} is on no page: name it in areas.ts`);
      const section = pages
        .get(`resources/${page.name}/`)!
        .split('<section class="operation"')
        .find((one) => one.includes(`>${method}</b> <code>${path}</code></p>`));
      assert.ok(section, name);
      for (const word of [scope, group, permission === "member" ? "any member" : permission, "/errors/#401", ">curl<"])
        assert.ok(section.includes(word), `${name} says ${word}`);
    }
    assert.ok(operations.length > 380);
  });

  test("every guide is listed", () => {
    const files = readdirSync(new URL("../../docs/", import.meta.url)).filter((name) => name.endsWith(".md"));

    assert.deepEqual(
      guides.map(({ name }) => `${name}.md`).sort(),
      files.sort(),
      "name a new guide in src/reference/guides.ts, and where it belongs",
    );
  });

  test("every link within it leads to a page, and to a place on that page", async () => {
    const dead: string[] = [];
    for (const [from, text] of pages) {
      for (const address of linksOf(text)) {
        if (/^https?:/.test(address) || /\.(css|svg|json|txt)\b/.test(address)) continue;
        const { pathname, hash } = new URL(address, `http://x/docs/${from}`);
        const path = pathname.replace("/docs/", "");
        const target = pages.get(path) ?? (await seen(path));
        if (target === null || (hash !== "" && !idsOf(target).includes(hash.slice(1)))) dead.push(`${from} links to ${address}`);
      }
    }
    assert.deepEqual(dead, []);
  });

  test("no page names one place twice", () => {
    for (const [path, text] of pages) {
      const ids = idsOf(text);
      assert.equal(new Set(ids).size, ids.length, `${path}: ${ids.filter((id, i) => ids.indexOf(id) !== i)}`);
    }
  });

  test("a page with all that it loads is small, and comes from here", async () => {
    for (const [path, text] of pages) {
      const loaded = [...text.matchAll(/<(?:link|script)[^>]* (?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
      assert.ok(
        loaded.every((address) => address.startsWith("/docs/")),
        path,
      );
      const files = await Promise.all(loaded.map(async (address) => (await fetch(on.url + address)).text()));
      const bytes = [text, ...files].reduce((sum, one) => sum + gzipSync(one).length, 0);
      assert.ok(bytes < 100_000, `${path} has ${bytes} bytes`);
    }
  });

  test("the filters of a list are in groups, with the comparisons of one field together", () => {
    const page = pages.get("resources/lead/")!;
    const list = page.slice(page.indexOf('id="list"'), page.indexOf('id="create"'));

    for (const group of ["Search", "Ids", "Texts", "Numbers", "Dates and times", "Custom fields"])
      assert.match(list, new RegExp(`<summary>${group}\\b`));
    assert.match(list, />mrr<\/code> <code class="also">__in<\/code>\s*<code class="also">__gt</);
    assert.ok(list.split("<li>").length < 60);
  });

  test("every field says what it means", () => {
    const silent = on.app.core.registry.resources.flatMap((of) =>
      of.shown
        .filter(([key, field]) => docOf(key, of.fields[key] ?? field) === "" && docOf(key, field) === "")
        .map(([key]) => `${of.name}.${key}`),
    );

    assert.deepEqual(silent, [], "give the field a doc, or name it in src/records/field_docs.ts if it means the same everywhere");
  });

  test("a field says its type, its meaning and who sets it; a resource its states and its events", () => {
    const task = pages.get("resources/task/")!;
    const quote = pages.get("resources/quote/")!;

    assert.match(quote, /<h3>States<\/h3>.*?<code>draft<\/code>\s*<code>open<\/code>/s);
    assert.match(quote, /quote\.accepted/);
    assert.match(
      task,
      />lead_id<\/code> <span class="type">id.*?set at creation|>lead_id<\/code> <span class="type">id.*?writable/s,
    );
    assert.match(task, /task\.call\.completed/);
  });
});

/** A page that is not in the list of them, such as a decision. */
async function seen(path: string): Promise<string | null> {
  const answer = await fetch(`${on.url}/docs/${path}`);
  return answer.status === 200 ? answer.text() : null;
}

describe("how it is served", () => {
  test("whoever has a page already gets a 304, and files with a stamp need not be asked for again", async () => {
    const first = await fetch(`${on.url}/docs/resources/lead/`);
    const etag = first.headers.get("etag")!;
    const again = await fetch(`${on.url}/docs/resources/lead/`, { headers: { "if-none-match": etag } });
    const [, style] = /href="([^"]+style\.css[^"]+)"/.exec(await first.text())!;
    const file = await fetch(on.url + style);

    assert.equal(again.status, 304);
    const marked = await fetch(`${on.url}/docs/?from=mail`);
    assert.equal(marked.headers.get("cache-control"), "public, max-age=60");
    assert.equal(file.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.match(file.headers.get("content-type")!, /^text\/css/);
  });

  test("its policy lets in nothing from elsewhere", async () => {
    const answer = await fetch(`${on.url}/docs/`);
    const policy = answer.headers.get("content-security-policy")!;

    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.ok(!/https?:|\*|unsafe/.test(policy));
  });

  test("a page that there is not is a 404 for people, and files beside the reference are not served", async () => {
    for (const path of [
      "nonsense/",
      "guides/../../package.json",
      "guides/%2e%2e%2fpackage/",
      "static/style.css",
      "guides/decisions/0001-none/",
    ]) {
      const answer = await fetch(`${on.url}/docs/${path}`);
      assert.equal(answer.status, 404, path);
    }
    assert.match(await (await fetch(`${on.url}/docs/nonsense/`)).text(), /There is no such page/);
  });

  test("the front door leads a browser there, and programs are answered as ever", async () => {
    const browser = await fetch(on.url, { headers: { accept: "text/html,*/*;q=0.8" }, redirect: "manual" });
    const program = await fetch(on.url, { headers: { accept: "application/json" } });

    assert.deepEqual([browser.status, browser.headers.get("location")], [302, "/docs/"]);
    assert.equal(program.status, 404);
    assert.equal(((await program.json()) as any).error, "Not Found");
  });

  test("a guide is served as it was written, for language models", async () => {
    const answer = await fetch(`${on.url}/docs/guides/webhooks.md`);

    assert.match(answer.headers.get("content-type")!, /^text\/markdown/);
    assert.match(await answer.text(), /^# Webhooks\n/);
  });

  test("below a path of a proxy all its links lead below that path", async (t) => {
    const below = await startService({ baseUrl: "https://example.com/crm", env: { BASE_URL: "https://example.com/crm" } });
    t.after(() => below.close());
    const text = await (await fetch(`${below.url}/docs/`)).text();

    assert.ok(linksOf(text).every((address) => address.startsWith("/crm/") || address.startsWith("#")));
    assert.match(text, /https:\/\/example\.com\/crm\/api\/v1/);
  });
});
