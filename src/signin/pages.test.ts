// The pages in a real browser: without a script, on a phone and on a desk, by day and by night, and without obstacles.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, obstaclesOn } from "../../test/support/browser.ts";
import { organization, type Workspace } from "../../test/support/given.ts";
import { OauthClient } from "../../test/support/oauth_client.ts";
import { service } from "../../test/support/service.ts";
import { givePassword, goodPassword } from "../../test/support/visitor.ts";

let browser: Browser;
let acme: Workspace;
let email: string;
let consent: string;
let invitation: string;

before(async () => {
  browser = await launchBrowser();
  acme = await organization();
  await acme.put(`/organization/${acme.id}/`, { name: "Globex & Söhne" });
  await acme.another();
  await givePassword(acme.service, acme.userId);
  email = (await acme.get("/me/")).email;
  const { invitation_url } = await acme.post("/membership/", { email: "grace@example.com" });
  invitation = new URL(invitation_url).pathname;
  const client = await OauthClient.register(await service(), { client_name: "Claude" });
  consent = await client.address("a".repeat(43), { scope: "write_destructive", resource: "http://localhost/mcp" });
});
after(() => browser.close());

/** Set to a folder, it keeps a picture of each page, in all four looks. */
const pictures = process.env.PICTURES;

const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 900 };
const looks = [
  { name: "phone_light", ...phone, colorScheme: "light" },
  { name: "desk_dark", ...desk, colorScheme: "dark" },
  { name: "phone_dark", ...phone, colorScheme: "dark" },
  { name: "desk_light", ...desk, colorScheme: "light" },
] as const;

describe("in a browser", () => {
  for (const { name, width, height, colorScheme } of pictures === undefined ? looks.slice(0, 2) : looks)
    test(`a person signs in, gives consent and looks after the account (${name})`, async () => {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme });
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      const look = seeing(page, name);

      await page.goto(acme.service.url + consent);
      await look("sign_in");
      await page.getByLabel("E-mail address").fill(email);
      await page.getByLabel("Password").fill("a wrong one");
      await page.getByRole("button", { name: "Sign in" }).click();
      await look("sign_in_wrong");
      await page.getByLabel("Password").fill(goodPassword);
      await page.getByRole("button", { name: "Sign in" }).click();
      await look("consent");
      assert.equal(await page.getByLabel(/Also delete/).isChecked(), false);
      await page.route(/127\.0\.0\.1\/callback/, (route) => route.fulfill({ body: "back at the client" }));
      await page.getByRole("button", { name: "Allow", exact: true }).click();
      await page.waitForURL(/callback\?code=oac_/);
      await page.goto(`${acme.service.url}${consent}&response_mode=form_post`);
      const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().includes("/callback"));
      await page.getByRole("button", { name: "Allow", exact: true }).click();
      assert.match((await sent).postData()!, /^code=oac_/);
      await page.waitForURL(/\/callback$/);

      for (const [path, what] of [
        ["/account/", "account"],
        ["/account/password/", "change_password"],
        ["/account/two_factor/", "two_factor"],
        ["/account/api_keys/", "api_keys"],
        ["/account/passkeys/", "passkeys"],
        ["/account/confirm/", "confirm"],
        ["/sign-in/passkey/", "passkey_sign_in"],
        [invitation, "invitation"],
        ["/password/", "forgotten"],
        ["/oauth2/consent/unknown/", "request_over"],
      ] as const) {
        await page.goto(acme.service.url + path);
        await look(what);
      }
      await context.close();
    });

  test("no other page shows them in a frame", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.setContent(`<iframe src="${acme.service.url}/sign-in/"></iframe>`);
    const frame = page.frames()[1]!;
    await frame.waitForLoadState();
    assert.doesNotMatch(await frame.content(), /E-mail address/);
    await context.close();
  });
});

function seeing(page: Page, look: string) {
  return async (what: string) => {
    await page.waitForLoadState();
    assert.equal(/<script/.test(await page.content()), what.startsWith("passkey"), what);
    assert.deepEqual(await obstaclesOn(page), [], `${what}, ${look}`);
    const width = await page
      .locator("html")
      .evaluate((one) => one.scrollWidth - one.clientWidth)
      .catch(() => 0);
    assert.equal(width, 0, `${what} is wider than the screen, ${look}`);
    if (pictures === undefined) return;
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: `${pictures}/${what}_${look}.png`, fullPage: true });
  };
}
