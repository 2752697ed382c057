// The reference in a real browser: without a script, on a phone and on a desk, by day and by night, without obstacles; then its search,
// and a call that is tried with a key.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, obstaclesOn } from "../../test/support/browser.ts";
import { organization } from "../../test/support/given.ts";
import { type Service, service } from "../../test/support/service.ts";

let browser: Browser;
let on: Service;

before(async () => {
  on = await service();
  browser = await launchBrowser();
});
after(() => browser.close());

const looks = ["", "resources/webhook/", "guides/webhooks/", "automations/triggers/", "permissions/"];

describe("in a browser", () => {
  for (const [width, height, colorScheme] of [
    [390, 844, "light"],
    [390, 844, "dark"],
    [1280, 900, "light"],
    [1280, 900, "dark"],
  ] as const)
    test(`${width} wide and ${colorScheme} there is no obstacle, and nothing is wider than the screen`, async (t) => {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme });
      t.after(() => context.close());
      const page = await context.newPage();
      for (const path of looks) {
        await page.goto(`${on.url}/docs/${path}`);

        assert.deepEqual(await obstaclesOn(page), [], path);
        assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= width, `${path} is wider`);
      }
    });

  test("without a script all is there: the text, the languages of an example, and the menu of a phone", async (t) => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(`${on.url}/docs/resources/lead/`);

    await page.locator("#create").getByText("Python").click();
    assert.match(await page.locator("#create pre.in-py").innerText(), /requests\.post\(/);
    assert.equal(await page.locator("search").isVisible(), false);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("navigation").getByText("Deals").click();
    await page.getByRole("link", { name: "Quotes", exact: true }).click();
    await page.waitForURL("**/docs/resources/quote/");
  });

  test("the page asks nobody else, and says nothing is wrong", async (t) => {
    const page = await browser.newPage();
    t.after(() => page.close());
    const asked: string[] = [];
    const said: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(error.message));
    await page.goto(`${on.url}/docs/`, { waitUntil: "networkidle" });

    assert.ok(asked.length >= 3);
    assert.ok(
      asked.every((address) => address.startsWith(on.url)),
      asked.join("\n"),
    );
    assert.deepEqual(said, []);
  });

  test("the search finds operations, fields and guides by their words, and is loaded when it is touched", async (t) => {
    const page = await browser.newPage();
    t.after(() => page.close());
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${on.url}/docs/`);
    assert.ok(!asked.some((address) => address.includes("search.json")));
    const find = async (words: string) => {
      await page.getByRole("searchbox").fill(words);
      const found = page.locator(".found a").first();
      await found.waitFor();
      return found.getAttribute("href");
    };

    assert.equal(await find("merge lead"), "/docs/resources/lead/#merge");
    assert.equal(await find("lead.mrr"), "/docs/resources/lead/#object-lead");
    assert.equal(await find("webhooks without a library"), "/docs/guides/webhooks/#without-a-library");
    assert.equal(await find("whsec signature"), "/docs/guides/webhooks/", "what stands in the text of a guide");
    assert.equal(await find("mirror"), "/docs/guides/following-events/", "the guide that is about it, and not one that names it");
    assert.equal(await find("backup"), "/docs/guides/operations/#backup");
    assert.match((await find("idempotency")) ?? "", /^\/docs\/guides\/retries\//);
    assert.equal(await find("opportunity.won"), "/docs/events/#opportunity");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/events/#opportunity");
  });

  test("a call is tried with a key, which is kept nowhere", async (t) => {
    const acme = await organization();
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(`${on.url}/docs/resources/lead/`);
    const tryIt = (id: string) => page.locator(`#${id}`).getByRole("button", { name: "Try it" }).click();

    await tryIt("create");
    await page.getByLabel("Your key").fill(acme.key);
    await page.getByLabel("Body").fill('{"name": "Tried"}');
    assert.match(await answerOf(page), /"dry_run": true/);
    assert.equal((await acme.get("/lead/")).data.length, 0);
    await page.getByLabel("Only try it").uncheck();
    assert.match(await answerOf(page), /"display_name": "Tried"/);
    assert.equal((await acme.get("/lead/")).data[0].name, "Tried");
    await page.getByRole("button", { name: "Close" }).click();

    await tryIt("get");
    const calls: string[] = [];
    page.on("request", (request) => calls.push(request.url()));
    for (const id of [".", " .. "]) {
      await page.getByLabel("id", { exact: true }).fill(id);
      await page.getByRole("button", { name: "Send" }).click();
    }
    assert.deepEqual(calls, []);
    await page.getByLabel("id", { exact: true }).fill("lead_none");
    assert.match(await answerOf(page), /"error": "Not Found"/);
    assert.deepEqual(await obstaclesOn(page), []);
    const { cookies, origins } = await context.storageState();
    assert.deepEqual([cookies, origins], [[], []]);
  });
});

async function answerOf(page: Page): Promise<string> {
  const answered = page.waitForResponse((response) => response.url().includes("/api/v1/"));
  await page.getByRole("button", { name: "Send" }).click();
  await answered;
  const text = page.locator("dialog output pre");
  await text.waitFor();
  return text.innerText();
}
