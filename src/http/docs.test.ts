import assert from "node:assert/strict";
import { test } from "node:test";
import { listen } from "./testing.ts";

test("the description is a page that anyone may read", async (t) => {
  const { ask } = await listen(t);

  for (const line of ["GET /docs/", "GET /docs"]) {
    const answer = await ask(line, { key: null });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], "text/html; charset=utf-8");
    assert.match(answer.text, /<title>Headwater API<\/title>/);
  }
});

test("the page and all it loads come from here, and its policy lets it ask nobody else", async (t) => {
  const { ask } = await listen(t);

  const page = await ask("GET /docs/", { key: null });
  const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);

  assert.ok(loaded.length >= 4);
  for (const address of loaded) {
    assert.match(address, /^\/(docs|api)\//);
    assert.equal((await ask(`GET ${address}`, { key: null })).status, 200, address);
  }
  const policy = page.headers["content-security-policy"] as string;
  assert.match(policy, /default-src 'none'; script-src 'self'/);
  assert.ok(!/https?:|\*/.test(policy));
  const start = await ask("GET /docs/start.js", { key: null });
  assert.match(start.text, /url: "\/api\/v1\/openapi\.json"/);
  assert.match(start.text, /validatorUrl: null/);
});

test("below a path of a proxy the page loads from below that path", async (t) => {
  const { ask } = await listen(t, { env: { BASE_URL: "https://example.com/crm" } });

  assert.match((await ask("GET /docs/", { key: null })).text, /src="\/crm\/docs\/start\.js"/);
  assert.match((await ask("GET /docs/start.js", { key: null })).text, /url: "\/crm\/api\/v1\/openapi\.json"/);
});

test("only the page's own files are served", async (t) => {
  const { ask } = await listen(t);

  for (const path of ["/docs/../package.json", "/docs/%2e%2e/package.json", "/docs/index.js", "/docs/swagger-ui.css/"]) {
    const { status } = await ask(`GET ${path}`, { key: null });
    assert.equal(status, path.endsWith("/") ? 200 : 404, path);
  }
});
