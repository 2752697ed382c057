// Passkeys in a real browser, with an authenticator of its own as phones and laptops have one.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { launchBrowser, obstaclesOn } from "../../test/support/browser.ts";
import { organization, type Workspace } from "../../test/support/given.ts";
import { service } from "../../test/support/service.ts";
import { givePassword, goodPassword, Visitor } from "../../test/support/visitor.ts";

let browser: Browser;
let acme: Workspace;
let email: string;
let page: Page;
let context: BrowserContext;
let device: CDPSession;
let authenticatorId: string;

before(async () => {
  // Passkeys belong to a host, and the service believes to be at http://localhost.
  browser = await launchBrowser([`--host-resolver-rules=MAP localhost:80 ${new URL((await service()).url).host}`]);
  acme = await organization();
  await givePassword(acme.service, acme.userId);
  ({ email } = await acme.get("/me/"));
  context = await browser.newContext();
  page = await context.newPage();
  page.setDefaultTimeout(15_000);
  device = await context.newCDPSession(page);
  await device.send("WebAuthn.enable");
  ({ authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  }));
});
after(() => browser.close());

const open = (path: string) => page.goto(`http://localhost${path}`);
const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
const isPerson = async (id: boolean) => device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: id });

async function signInWithPassword(): Promise<void> {
  await context.clearCookies();
  await open("/sign-in/");
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(goodPassword);
  await press("Sign in");
  await page.waitForURL("**/account/");
}

async function signOut(): Promise<void> {
  await open("/account/");
  await press("Sign out here");
  await page.waitForURL("**/sign-in/");
}

/** The answer that the page sends when its button is pressed. */
async function answerTo(name: string): Promise<string> {
  const sent = page.waitForRequest((request) => request.method() === "POST");
  await press(name);
  return new URLSearchParams((await sent).postData()!).get("answer")!;
}

/** Somebody with the cookies of the browser. */
async function sameBrowser(): Promise<Visitor> {
  const visitor = new Visitor(acme.service);
  for (const { name, value } of await context.cookies()) visitor.cookies.set(`${name}@/`, { value, path: "/" });
  return visitor;
}

describe("a passkey", () => {
  test("is made, named, signs its person in with nothing else, and is removed", async () => {
    await signInWithPassword();
    await page.getByRole("link", { name: "Passkeys" }).click();
    const answer = await page.reload();
    assert.match(answer!.headers()["content-security-policy"]!, /default-src 'none'.*script-src 'sha256-[^' ]+'$/);
    assert.deepEqual(await obstaclesOn(page), []);
    const made = await answerTo("Add a passkey");
    await page.getByText("not used yet").waitFor();
    assert.deepEqual(await obstaclesOn(page), []);
    await page.getByLabel(/^Name of/).fill("My laptop");
    await press("Rename");
    await page.getByText("My laptop").waitFor();
    await press("Add a passkey");
    await page.getByText("has a passkey for your account already").waitFor();
    const visitor = await sameBrowser();
    await visitor.open("/account/passkeys/");
    assert.match(
      (await visitor.send({ act: "add", answer: made }, "passkeys")).text,
      /That did not work/,
      "an answer counts once",
    );

    await signOut();
    await page.getByRole("link", { name: "Sign in with a passkey" }).click();
    assert.deepEqual(await obstaclesOn(page), []);
    await press("Use a passkey");
    await page.waitForURL("**/account/");
    await open("/account/passkeys/");
    await page.getByText(/last used/).waitFor();

    await press("Remove My laptop");
    await page.getByText("You have none yet").waitFor();
    await signOut();
    await open("/sign-in/passkey/");
    await press("Use a passkey");
    await page.getByText("the passkey is not known here").waitFor();
  });

  test("opens nothing for who is not its person, or repeats what a browser said", async () => {
    await device.send("WebAuthn.clearCredentials", { authenticatorId });
    await signInWithPassword();
    await open("/account/passkeys/");
    await press("Add a passkey");
    await page.getByText("not used yet").waitFor();
    await signOut();

    await open("/sign-in/passkey/");
    await isPerson(false);
    await press("Use a passkey");
    await page.getByText("the question was closed").waitFor();
    await isPerson(true);
    const answer = await answerTo("Use a passkey");
    await page.waitForURL("**/account/");
    await signOut();

    for (const [visitor, said] of [
      [await sameBrowser(), answer],
      [new Visitor(acme.service), answer],
      [new Visitor(acme.service), "{}"],
      [new Visitor(acme.service), "no JSON"],
    ] as const) {
      await visitor.open("/sign-in/passkey/");
      assert.match((await visitor.send({ answer: said })).text, /That did not work/);
    }
  });

  test("proves who its person is, before something dangerous too", async () => {
    await signInWithPassword();
    acme.service.clock.now = new Date(Date.now() + 11 * 60_000);
    await open("/account/api_keys/");
    await page.getByLabel("What it is for").fill("Reports");
    await press("Create the key");
    await page.getByRole("link", { name: "Use a passkey instead" }).click();
    await press("Use a passkey");
    await page.getByLabel("What it is for").fill("Reports");
    await press("Create the key");

    await page.getByText("Your new key is shown only now").waitFor();
  });
});
