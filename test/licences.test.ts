// Headwater may be used by everybody under its own licence. So nothing that is installed with it may ask for more.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Package {
  license?: string;
  dev?: boolean;
  link?: boolean;
}

const root = new URL("..", import.meta.url).pathname;
const permissive = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "BlueOak-1.0.0",
  "Unlicense",
]);
/** One of two is enough. */
const ofTwo = new Set(["(MIT OR EUPL-1.1+)", "(MIT OR CC0-1.0)", "MIT OR Apache-2.0"]);
/** Of fonts, which are put into documents and not sold by themselves. */
const forFonts = new Set(["OFL-1.1", "MIT AND OFL-1.1"]);
/** These are used to test, and are not given to anybody. */
const forTests = new Set(["MPL-2.0", "Python-2.0", "(MIT AND Zlib)"]);
/** The lock file says nothing of these, and the text in the package is one of the above. */
const read = new Map([["node_modules/png-js", /MIT/i]]);

test("every package that is installed has a licence that asks for no more than ours", () => {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")) as { packages: Record<string, Package> };
  let checked = 0;

  for (const [path, { license, dev, link }] of Object.entries(packages)) {
    // Our own packages, and the binaries of development tools for other machines, which are not installed.
    if (!path.startsWith("node_modules/") || link || (dev && license === undefined)) continue;
    checked++;
    if (license === undefined) {
      assert.match(readFileSync(`${root}${path}/LICENSE`, "utf8"), read.get(path) ?? /nothing/, `${path} has no known licence`);
      continue;
    }
    const isFont = forFonts.has(license) && path.includes("font");
    const isFine = permissive.has(license) || isFont || ofTwo.has(license) || (dev === true && forTests.has(license));
    assert.ok(isFine, `${path} is under ${license}: find another package, or ask whether that licence is fine`);
  }
  assert.ok(checked > 300);
});
