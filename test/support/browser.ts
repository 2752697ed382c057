// A real browser for the tests of pages: Chromium without a window, with nothing kept from before.
import { execFileSync } from "node:child_process";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";

const executablePath = "/usr/bin/chromium";
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  execFileSync(new URL("install_chromium.sh", import.meta.url).pathname);
  return chromium.launch({ executablePath, args: [...flags, ...more], headless: true });
}

/** What stands in the way of people with disabilities, as far as `axe` finds it: one line for each. */

export async function obstaclesOn(page: Page): Promise<string[]> {
  // The page's own policy lets no script in, so it is run by the browser's debugger, which the policy does not bind.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe.source });
  const { result } = await session.send("Runtime.evaluate", {
    expression:
      "axe.run(document).then(({ violations }) => JSON.stringify(violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html).join(' | '))))",
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(result.value as string);
}
