// How people sign in, and what guessing, old links and foreign forms come to.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { generateSync } from "otplib";
import { bearer } from "../../test/support/bearer.ts";
import { organization, type Workspace } from "../../test/support/given.ts";
import { OauthClient } from "../../test/support/oauth_client.ts";
import type { Service } from "../../test/support/service.ts";
import { serviceWithMail } from "../../test/support/service_with_mail.ts";
import { givePassword, goodPassword, Visitor } from "../../test/support/visitor.ts";
import { withWorker } from "../../test/support/worker.ts";
import { forgetMistakes, secondsToWait } from "./attempts.ts";

const { mail, on } = await serviceWithMail({ daysApart: 30 });
const passes = (minutes: number) => (on.clock.now = new Date(on.clock.now!.getTime() + minutes * 60_000));
const sendAll = (): Promise<void> => withWorker(on, (worker) => worker.drained());

interface Signed {
  acme: Workspace;
  email: string;
  visitor: Visitor;
}

async function person(): Promise<Signed> {
  const acme = await organization(on);
  await givePassword(on, acme.userId);
  return { acme, email: (await acme.get("/me/")).email, visitor: new Visitor(on) };
}

async function signedIn(): Promise<Signed> {
  const one = await person();
  await one.visitor.signIn(one.email, goodPassword);
  return one;
}

const isIn = async (visitor: Visitor): Promise<boolean> => (await visitor.open("/account/")).path.startsWith("/account/");
const mailTo = (email: string): string => mail.to(email).at(-1)!.text!;
const linkIn = (text: string): string => /http:\/\/localhost(\/(?:password|invite)\/[\w-]{43}\/)/.exec(text)![1]!;

describe("a person", () => {
  test("signs in, sees the account, and signs out", async () => {
    const { email, visitor } = await person();

    const account = await visitor.signIn(email, goodPassword);

    assert.match(account.text, /Ada Admin/);
    const cookie = visitor.cookies.get("session@/")!;
    assert.match(cookie.value, /^[\w-]{43}$/);
    await visitor.send({ act: "sign_out" });
    assert.equal(await isIn(visitor), false);
    visitor.cookies.set("session@/", cookie);
    assert.equal(await isIn(visitor), false, "the session itself is over");
  });

  test("is not told whether the address or the password was wrong", async () => {
    const { email } = await person();
    const [known, unknown] = [new Visitor(on), new Visitor(on)];

    const wrong = await known.signIn(email, "a wrong password");
    const nobody = await unknown.signIn("nobody@example.com", "a wrong password");

    assert.deepEqual([wrong.status, nobody.status], [403, 403]);
    const plain = (text: string) => text.replace(/value="[^"]*"/g, "");
    assert.equal(plain(wrong.text), plain(nobody.text));
  });

  test("is sent only to our own pages after the sign-in", async () => {
    for (const next of ["https://evil.example/", "//evil.example/", "/\\evil.example", "/api/v1/me/"]) {
      const { email, visitor } = await person();
      await visitor.open(`/sign-in/?next=${encodeURIComponent(next)}`);
      const shown = await visitor.send({ email, password: goodPassword, next });
      assert.deepEqual([shown.left, shown.path], [null, "/account/"], next);
    }
  });

  test("sees where they are signed in, and ends it elsewhere", async () => {
    const { email, visitor } = await signedIn();
    const phone = new Visitor(on);
    phone.headers = { "user-agent": "Mozilla/5.0 (iPhone; CPU) Safari/604.1" };
    await phone.signIn(email, goodPassword);

    assert.match((await visitor.open("/account/")).text, /Safari on iPhone/);
    await visitor.send({ act: "end_others" });

    assert.deepEqual([await isIn(phone), await isIn(visitor)], [false, true]);
  });

  test("is signed out after twelve idle hours", async () => {
    const { visitor } = await signedIn();
    passes(11 * 60);
    assert.equal(await isIn(visitor), true);
    passes(12 * 60 + 1);
    assert.equal(await isIn(visitor), false);
  });
});

describe("guessing", () => {
  test("is slowed down for an account, known or not, whoever guesses, and never for good", async () => {
    const { email } = await person();
    for (const target of [email, "stranger@example.com"]) {
      const guesses = await Promise.all(
        Array.from({ length: 12 }, async (_, i) => {
          const visitor = new Visitor(on);
          await visitor.open("/sign-in/");
          return visitor.send({ email: target, password: `guess ${i}` });
        }),
      );
      const statuses = guesses.map(({ status }) => status);
      assert.ok(statuses.filter((status) => status === 403).length <= 6, String(statuses));
      assert.ok(statuses.includes(429));
      assert.ok(Number(guesses.find(({ status }) => status === 429)!.headers.get("retry-after")) > 0);
    }
    assert.equal((await new Visitor(on).signIn(email, goodPassword)).status, 429, "the right one waits too");

    passes(16);
    assert.match((await new Visitor(on).signIn(email, goodPassword)).text, /Ada Admin/);
  });
});

test("of two thousand guesses in a quarter of an hour, each from another address, a dozen are tried", async () => {
  const begun = on.clock.now!.getTime();
  const guesses = 2_000;
  let tried = 0;
  for (let i = 0; i < guesses; i += 20) {
    on.clock.now = new Date(begun + (i * 900_000) / guesses);
    const at = Array.from({ length: 20 }, (_, n) => `203.${(i + n) >> 8}.${(i + n) & 255}.7`);
    const waits = await Promise.all(at.map((ip) => secondsToWait(on.app.core, "target@example.com", ip)));
    tried += waits.filter((seconds) => seconds === 0).length;
  }

  assert.ok(tried >= 8 && tried <= 16, String(tried));
});

test("a right sign-in starts no pause for others at its address, however often somebody there was wrong", async () => {
  const ip = "198.51.100.7";
  const wait = (email: string) => secondsToWait(on.app.core, email, ip);
  for (let i = 0; i < 55; i++) {
    if ((await wait(`wrong${i}@example.com`)) > 0) i--;
    passes(1);
  }
  passes(5);

  assert.equal(await wait("ada@example.com"), 0);
  await forgetMistakes(on.app.core, "ada@example.com", ip);
  assert.equal(await wait("bob@example.com"), 0);
  assert.ok((await wait("eve@example.com")) > 0, "a wrong one does");
});

describe("a form", () => {
  test("of another site, of another browser or without its secret does nothing", async () => {
    const { email, visitor } = await person();
    const other = new Visitor(on);
    await other.open("/sign-in/");
    const { text } = await visitor.open("/sign-in/");
    const fields = { email, password: goodPassword, form: /name="form" value="([^"]+)"/.exec(text)![1]! };

    assert.equal((await other.go("POST", "/sign-in/", fields)).status, 403);
    assert.equal((await visitor.go("POST", "/sign-in/", { ...fields, form: "" })).status, 403);
    visitor.headers = { origin: "https://evil.example" };
    assert.equal((await visitor.go("POST", "/sign-in/", fields)).status, 403);
    visitor.headers = { "sec-fetch-site": "same-site" };
    assert.equal((await visitor.go("POST", "/sign-in/", fields)).status, 403);
    visitor.headers = {};
    assert.equal((await visitor.go("POST", "/sign-in/", fields)).status, 200);
  });
});

describe("a password", () => {
  test("is set over a link that comes by mail, once, and ends all sessions and connections", async () => {
    const { acme, email, visitor } = await signedIn();
    await acme.put(`/organization/${acme.id}/`, { name: "Purple Otters Inc" });
    const tokens = await (await OauthClient.register(on)).connect(acme);
    const forgetful = new Visitor(on);
    await forgetful.open("/password/");
    const asked = await forgetful.send({ email: email.toUpperCase() });
    await forgetful.open("/password/");
    const unknown = await forgetful.send({ email: "nobody@example.com" });
    assert.equal(asked.text, unknown.text, "nobody learns who has an account");
    await sendAll();
    const link = linkIn(mailTo(email));

    await forgetful.open(link);
    for (const password of ["too short", "password12345", "1234567890", "PurpleOttersInc!", email]) {
      assert.equal((await forgetful.send({ password })).status, 400, password);
    }
    await forgetful.send({ password: "eleven green windows" });

    assert.equal(await isIn(forgetful), true);
    assert.equal(await isIn(visitor), false);
    assert.equal((await bearer(on, tokens.access_token)("GET", "/me/")).status, 401);
    assert.equal((await new Visitor(on).open(link)).status, 404);
    assert.equal((await new Visitor(on).signIn(email, goodPassword)).status, 403);
    assert.match((await new Visitor(on).signIn(email, "eleven green windows")).text, /Ada Admin/);
  });

  test("is chosen by who accepts an invitation, and by nobody who has one", async () => {
    const { acme } = await signedIn();
    const email = `invited-${process.pid}@example.com`;
    await acme.post("/membership/", { email });
    await sendAll();
    const visitor = new Visitor(on);

    await visitor.open(linkIn(mailTo(email)));
    const choose = await visitor.send({});
    assert.match(choose.text, /Choose a password/);
    await visitor.send({ password: "nine yellow ladders" });
    assert.equal(await isIn(visitor), true);

    const other = await organization(on);
    await other.post("/membership/", { email });
    await sendAll();
    await visitor.open(linkIn(mailTo(email)));
    const welcome = await visitor.send({});
    assert.match(welcome.text, /You are now a member of/);
  });

  test("that somebody chose over another's invitation opens nothing else, and goes with a link by mail", async () => {
    const [acme, evil] = [await organization(on), await organization(on)];
    const email = `victim-${process.pid}@example.com`;
    await evil.post("/membership/", { email });
    await sendAll();
    const attacker = new Visitor(on);
    await attacker.open(linkIn(mailTo(email)));
    await attacker.send({});
    await attacker.send({ password: "nine yellow ladders" });
    await acme.post("/membership/", { email });
    await sendAll();
    const link = linkIn(mailTo(email));
    const victim = new Visitor(on);

    await victim.open(link);
    assert.equal((await victim.go("POST", link, {})).status, 403, "a form of elsewhere");
    await victim.open(link);
    const asked = await victim.send({});
    assert.match(asked.path, /^\/sign-in\/\?next=%2Finvite/);
    const other = await signedIn();
    await other.visitor.open(link);
    assert.match((await other.visitor.send({})).text, /you are signed in as/);

    await victim.open("/password/");
    await victim.send({ email });
    await sendAll();
    await victim.open(linkIn(mailTo(email)));
    await victim.send({ password: "eleven green windows" });
    assert.equal(await isIn(attacker), false);
    await victim.open(link);
    assert.match((await victim.send({})).text, /You are now a member of/);
  });

  test("is changed with the present one, which leaves nothing of before but this session and keys", async () => {
    const { acme, visitor, email } = await signedIn();
    const client = await OauthClient.register(on);
    const tokens = await client.connect(acme);
    const phone = new Visitor(on);
    await phone.signIn(email, goodPassword);
    await visitor.open("/account/password/");

    assert.equal((await visitor.send({ present: "wrong", password: "eleven green windows" })).status, 400);
    assert.equal((await bearer(on, tokens.access_token)("GET", "/me/")).status, 200);
    await visitor.send({ present: goodPassword, password: "eleven green windows" });

    assert.deepEqual([await isIn(visitor), await isIn(phone)], [true, false]);
    assert.equal((await bearer(on, tokens.access_token)("GET", "/me/")).status, 401);
    await assert.rejects(client.refresh(tokens.refresh_token));
    assert.equal((await acme.get("/me/")).email, email);
    assert.match((await new Visitor(on).signIn(email, "eleven green windows")).text, /Ada Admin/);
  });
});

describe("a second factor", () => {
  test("is asked for from then on, each code once, and a recovery code replaces it once", async () => {
    const { email, visitor, acme } = await signedIn();
    const now = () => Math.floor(on.clock.now!.getTime() / 1000);
    const elsewhere = new Visitor(on);
    await elsewhere.signIn(email, goodPassword);
    const shown = await visitor.open("/account/two_factor/");
    const secret = /The key: <code>([A-Z2-7 ]+)<\/code>/.exec(shown.text)![1]!.replaceAll(" ", "");
    assert.equal((await visitor.send({ code: "000000" })).status, 400);
    const codes = await visitor.send({ code: generateSync({ secret, epoch: now() }) });
    const recovery = [...codes.text.matchAll(/<li><code>([\w-]{11})<\/code>/g)].map((one) => one[1]!);
    assert.equal(recovery.length, 10);
    assert.deepEqual([await isIn(visitor), await isIn(elsewhere)], [true, false], "it was signed in without one");

    const phone = new Visitor(on);
    await phone.signIn(email, goodPassword);
    assert.equal(await isIn(phone), false, "a password alone opens nothing");
    assert.match((await phone.open("/sign-in/code/")).text, /second factor/);
    assert.equal((await phone.send({ code: generateSync({ secret, epoch: now() }) })).status, 403, "that one was used");
    passes(1.5);
    await phone.send({ code: generateSync({ secret, epoch: now() }) });
    assert.equal(await isIn(phone), true);

    for (const works of [true, false]) {
      const lost = new Visitor(on);
      await lost.signIn(email, goodPassword);
      await lost.send({ code: recovery[0]!.toUpperCase() });
      assert.equal(await isIn(lost), works);
    }
    const guesser = new Visitor(on);
    await guesser.signIn(email, goodPassword);
    const guesses: number[] = [];
    for (let i = 0; i < 6; i++) guesses.push((await guesser.send({ code: "000000" })).status);
    assert.deepEqual([guesses[0], guesses[5]], [403, 429]);
    passes(1);
    await guesser.signIn(email, goodPassword);
    await guesser.send({ code: recovery[1]! });
    assert.equal(await isIn(guesser), true, "a right password is no guess, and starts no pause");

    const [row] = await on.app.db.unscoped({
      text: `select u::text || (select string_agg(r::text, '') from recovery_code r where r.user_id = u.id) from "user" u where id = $1`,
      values: [acme.userId],
    });
    for (const kept of [secret, recovery[2]!.replace("-", "")]) assert.ok(!row![0]!.includes(kept));
  });
});

describe("the page of API keys", () => {
  test("makes a key that works, shows it once, and deletes it, after the password of a moment ago", async () => {
    const { acme, visitor } = await signedIn();
    await visitor.open("/account/api_keys/");

    const made = await visitor.send({ name: "Reports", workspace: acme.id, scope: "read", act: "create" }, "?new");
    const key = /<code>(api_\w+)<\/code>/.exec(made.text)![1]!;
    const ask = (on: Service, method = "GET") =>
      fetch(`${on.url}/api/v1/me/`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(method === "PUT" && { body: "{}" }),
      });

    assert.deepEqual([(await ask(on)).status, (await ask(on, "PUT")).status], [200, 403]);
    assert.ok(!(await visitor.open("/account/api_keys/")).text.includes(key));
    passes(11);
    const asked = await visitor.send({ act: "delete" }, "api_keys");
    assert.match(asked.text, /Is it still you/);
    const before = visitor.cookies.get("session@/")!.value;
    await visitor.send({ password: goodPassword });
    assert.notEqual(visitor.cookies.get("session@/")!.value, before);
    assert.match(visitor.shown!.text, /Reports/);
  });

  test("makes one key of a form that is sent twice, and says so", async () => {
    const { acme, visitor } = await signedIn();
    const { text } = await visitor.open("/account/api_keys/");
    const hidden = [...text.matchAll(/<input type="hidden" name="(form|after)" value="([^"]*)">/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    const fields = { ...Object.fromEntries(hidden), name: "Reports", workspace: acme.id, scope: "read", act: "create" };

    const made = await visitor.go("POST", "/account/api_keys/", fields);
    const again = await visitor.go("POST", "/account/api_keys/", fields);

    assert.match(made.text, /<code>api_/);
    assert.equal(again.status, 409);
    assert.match(again.text, /This form was sent before/);
    assert.equal((await acme.get("/api_key/?name=Reports")).data.length, 1);
  });

  test("makes none in a workspace of others", async () => {
    const { visitor } = await signedIn();
    const other = await organization(on);
    await visitor.open("/account/api_keys/");

    const shown = await visitor.send({ name: "Mine", workspace: other.id, scope: "read", act: "create" }, "?new");

    assert.match(shown.text, /You are no member of that workspace/);
    assert.doesNotMatch(shown.text, /<code>api_/);
  });
});
