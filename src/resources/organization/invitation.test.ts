// Invitations: the person gets a mail with a link and is a member after accepting. What the links promise, and what they do not
// reveal.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { type Service, service } from "../../../test/support/service.ts";
import { serviceWithMail } from "../../../test/support/service_with_mail.ts";
import { Visitor } from "../../../test/support/visitor.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { createOrganization } from "../../cli/organization_create.ts";

const { mail, on } = await serviceWithMail();

let count = 0;
const address = () => `guest-${process.pid}-${++count}@example.com`;

const sendAll = (): Promise<void> => withWorker(on, (worker) => worker.drained());

/** The URL of a link, at the test's own server. */
const linkIn = (text: string, at: Service): string =>
  text.match(/http:\/\/localhost\/invite\/[\w-]{43}\//)![0].replace("http://localhost", at.url);

/** Opens the page. POST presses its button, if it has one. */
const open = async (link: string, method = "GET") => {
  const page = await fetch(link);
  const text = await page.text();
  if (method === "GET") return { status: page.status, headers: page.headers, text };
  const [cookie] = page.headers.getSetCookie().map((one) => one.split(";")[0]!);
  const form = /name="form" value="([^"]+)"/.exec(text)?.[1];
  const answer = await fetch(link, {
    method,
    redirect: "manual",
    headers: { cookie: cookie ?? "" },
    body: new URLSearchParams(form === undefined ? {} : { form }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

async function invited(acme: Workspace, body: object = {}) {
  const email = address();
  const member = await acme.post("/membership/", { email, ...body });
  await sendAll();
  const [received] = mail.to(email);
  return { email, member, received: received!, link: linkIn(received!.text!, on) };
}

const statusOf = async (acme: Workspace, id: string): Promise<string> =>
  (await acme.get("/membership/?status__in=active,invited,inactive")).data.find((one: any) => one.id === id).status;

describe("an invitation", () => {
  test("arrives once, in text and HTML, from whom and to where", async () => {
    const acme = await organization(on);
    await acme.put(`/organization/${acme.id}/`, { name: "Globex & Söhne" });
    const { email } = await acme.get("/me/");

    const { received, link, member } = await invited(acme);
    await sendAll();

    assert.equal(mail.to(member.email).length, 1);
    assert.equal(received.subject, `Ada Admin (${email}) invited you to Globex & Söhne`);
    assert.deepEqual([received.from!.address, received.from!.name], ["crm@example.com", "Headwater"]);
    assert.ok(received.text!.includes("Globex & Söhne") && received.html!.includes("Globex &amp; Söhne"));
    assert.ok(received.html!.includes(link.replace(on.url, "http://localhost")));
    assert.equal(received.header("auto-submitted"), "auto-generated");
    assert.match(received.messageId!, /^<smail_\w+@localhost>$/);
    assert.equal("invitation_url" in member, false);
  });

  test("is read without being accepted, and accepted once", async () => {
    const acme = await organization(on);
    const { link, member, email } = await invited(acme);

    const read = await open(link);
    assert.equal(read.status, 200);
    assert.ok(read.text.includes(email) && read.text.includes("Accept the invitation"));
    assert.equal(await statusOf(acme, member.id), "invited");

    const twice = await Promise.all([open(link, "POST"), open(link, "POST")]);
    assert.ok(twice.some(({ status }) => status === 303));
    assert.ok(twice.every(({ status }) => [200, 303].includes(status)));
    assert.equal((await open(link, "POST")).headers.get("location"), null, "a used link opens no account");
    assert.equal(await statusOf(acme, member.id), "active");
    assert.match((await open(link)).text, /You are now a member of/);
    assert.deepEqual(
      (await acme.events(member.id)).map((event) => event.action),
      ["activated", "updated"],
    );
  });

  test("reveals nothing: its page is not cached, and its secret is in no event and no table", async () => {
    const acme = await organization(on);
    const { link, member } = await invited(acme);
    const token = link.split("/").at(-2)!;

    await open(link, "POST");

    const page = await open(link);
    assert.equal(page.headers.get("cache-control"), "private, no-store");
    assert.equal(page.headers.get("referrer-policy"), "no-referrer");
    assert.match(page.headers.get("content-security-policy")!, /default-src 'none'/);
    assert.ok(!JSON.stringify(await acme.events(member.id)).includes(token));
    for (const table of ["invitation", "system_mail", "event", "job"]) {
      const [row] = await on.app.db.unscoped({
        text: `select count(*) from ${table} t where t.organization_id = $1 and strpos(t::text, $2) > 0`,
        values: [acme.id, token],
      });
      assert.equal(row![0], "0", table);
    }
  });

  test("sent again has a new link, and the one before is none any more", async () => {
    const acme = await organization(on);
    const { link, email, member } = await invited(acme);

    const again = await acme.post("/membership/", { email, role_id: "superuser" });
    await sendAll();
    const newer = linkIn(mail.to(email)[1]!.text!, on);

    assert.equal(again.id, member.id);
    assert.deepEqual([(await open(link)).status, (await open(link, "POST")).status], [404, 404]);
    assert.equal((await open(newer, "POST")).status, 303);
    assert.equal(await statusOf(acme, member.id), "active");
  });

  test("lapses after two weeks", async () => {
    const acme = await organization(on);
    on.clock.now = new Date("2031-03-01T10:00:00Z");
    const { link, member } = await invited(acme);

    on.clock.now = new Date("2031-03-15T09:59:59Z");
    assert.equal((await open(link)).status, 200);
    on.clock.now = new Date("2031-03-15T10:00:00Z");

    const [read, accepted] = [await open(link), await open(link, "POST")];
    assert.deepEqual([read.status, accepted.status], [410, 410]);
    assert.match(read.text, /has expired/);
    assert.equal(await statusOf(acme, member.id), "invited");
  });

  test("of somebody who was removed lets nobody in", async () => {
    const acme = await organization(on);
    const [before, after] = [await invited(acme), await invited(acme)];
    await open(after.link, "POST");
    for (const { member } of [before, after]) await acme.delete(`/membership/${member.id}/`);

    for (const { link, member } of [before, after]) {
      assert.equal((await open(link, "POST")).status, 410);
      assert.equal(await statusOf(acme, member.id), "inactive");
    }
  });

  test("is not sent to who was removed, or came, before it left", async () => {
    const acme = await organization(on);
    const email = address();
    const { id } = await acme.post("/membership/", { email });
    await acme.delete(`/membership/${id}/`);

    await sendAll();

    assert.deepEqual(mail.to(email), []);
  });

  test("looks the same for somebody who is known elsewhere", async () => {
    const [acme, other] = [await organization(on), await organization(on)];
    const { email } = await other.get("/me/");

    const known = await acme.post("/membership/", { email });
    const unknown = await acme.post("/membership/", { email: address() });
    await sendAll();

    assert.deepEqual(Object.keys(known).sort(), Object.keys(unknown).sort());
    const [one, two] = [mail.to(email)[0]!, mail.to(unknown.email)[0]!];
    const plain = (text: string) =>
      text
        .replace(/\/invite\/[\w-]+\//, "")
        .replaceAll(unknown.email, "")
        .replaceAll(email, "");
    assert.deepEqual([one.subject, plain(one.text!)], [two.subject, plain(two.text!)]);
    assert.equal((await open(linkIn(one.text!, on))).status, (await open(linkIn(two.text!, on))).status);
  });

  test("holds no header and no markup that somebody wrote into a name", async () => {
    const acme = await organization(on);
    const name = "<b>Evil</b>\r\nBcc: victim@localhost\u202e ねこ 🐈";
    await acme.put("/me/", { first_name: name, last_name: "" });
    await acme.put(`/organization/${acme.id}/`, { name });

    const { received, link } = await invited(acme);

    assert.deepEqual(received.recipients.length, 1);
    assert.equal(received.bcc, undefined);
    assert.ok(!received.subject!.includes("\n") && received.subject!.includes("ねこ 🐈"));
    for (const html of [received.html!, (await open(link)).text])
      assert.ok(!html.includes("<b>") && html.includes("&lt;b&gt;Evil"), html);
  });

  test("of one person is mailed three times an hour at most, and the fourth says so", async () => {
    const acme = await organization(on);
    const email = address();
    on.clock.now = new Date("2031-04-01T10:00:00Z");
    for (let i = 0; i < 3; i++) await acme.post("/membership/", { email });

    const refused = await acme.ask("POST", "/membership/", { body: { email } });
    on.clock.now = new Date("2031-04-01T11:00:01Z");
    const later = await acme.ask("POST", "/membership/", { body: { email } });
    await sendAll();

    assert.deepEqual([refused.status, later.status], [429, 201]);
    assert.equal(refused.headers.get("retry-after"), "3600");
    assert.equal(mail.to(email).length, 1, "the links before it were replaced before they left");
  });

  test("of one person is mailed three times an hour by all organizations together, and none is told of the others", async () => {
    const email = address();
    on.clock.now = new Date("2031-05-01T10:00:00Z");
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => organization(on)));

    const asked = await Promise.all(all.map((acme) => acme.ask("POST", "/membership/", { body: { email } })));
    const others = await all[0]!.ask("POST", "/membership/", { body: { email: address() } });
    await sendAll();

    assert.deepEqual(asked.map(({ status }) => status).sort(), [201, 201, 201, 429, 429]);
    assert.equal(others.status, 201);
    assert.equal(mail.to(email).length, 3);
    const { body, headers } = asked.find(({ status }) => status === 429)!;
    assert.equal(body.error, "No more invitations can be mailed to this address for now: try again in an hour.");
    assert.equal(headers.get("retry-after"), "3600");
  });

  test("of one person is mailed three times an hour, however their address is spelled", async () => {
    on.clock.now = new Date("2031-06-01T10:00:00Z");
    const [acme, other] = [await organization(on), await organization(on)];
    const name = address().split("@")[0]!;
    const ends = ["@bücher.example", "@ｂücher.example", "+a@xn--bcher-kva.example", "@BÜCHER.example", "@büchｅr.example"];
    const spellings = ends.map((end) => name + end);

    const asked = [];
    for (const [i, email] of spellings.entries())
      asked.push(await (i % 2 === 0 ? acme : other).ask("POST", "/membership/", { body: { email } }));

    assert.deepEqual(
      asked.map(({ status }) => status),
      [201, 201, 201, 429, 429],
    );
    assert.equal((await acme.ask("POST", "/membership/", { body: { email: address() } })).status, 201);
  });

  test("has no web address in its subject, whatever names say", async () => {
    const acme = await organization(on);
    await acme.put("/me/", { first_name: "Win at www.evil.example", last_name: "" });
    const { email } = await acme.get("/me/");

    for (const name of ["Prizes: https://evil.example/?x=1", "evil.example", "Go to WWW.EVIL"]) {
      await acme.put(`/organization/${acme.id}/`, { name });
      const { received } = await invited(acme);
      assert.equal(received.subject, `${email} invited you to their workspace`);
      assert.ok(received.text!.includes(name));
    }
  });

  test("is an English sentence, in whatever direction the names in it are read", async () => {
    const acme = await organization(on);
    await acme.put("/me/", { first_name: "דנה", last_name: "לוי" });
    await acme.put(`/organization/${acme.id}/`, { name: "נגריית לוי" });
    const { email } = await acme.get("/me/");

    const { received, link } = await invited(acme);

    const words = `\u2068דנה לוי\u2069 (${email}) invites you to work with them in`;
    assert.ok(received.text!.includes(`${words} \u2068נגריית לוי\u2069, a workspace`), received.text!);
    assert.ok(
      received.html!.split(/<p dir="ltr"[^>]*>/).some((one) => one.startsWith(words)),
      received.html!,
    );
    assert.ok((await open(link)).text.includes(words));
    assert.equal(received.subject, `דנה לוי (${email}) invited you to נגריית לוי`);
  });

  test("of a hundred people leaves within an hour, and of no more", async () => {
    const acme = await organization(on);
    for (let i = 0; i < 96; i++) await acme.post("/membership/", { email: address() });

    const invite = () => acme.ask("POST", "/membership/", { body: { email: address() } });
    const together = await Promise.all(Array.from({ length: 12 }, invite));

    assert.deepEqual(together.map(({ status }) => status).sort(), [201, 201, 201, 201, ...Array<number>(8).fill(429)]);
    assert.equal((await (await organization(on)).ask("POST", "/membership/", { body: { email: address() } })).status, 201);
  });
});

describe("where the service sends no mail", () => {
  test("the link is in the answer to who invites, and works", async () => {
    const acme = await organization();
    const here = await service();

    const member = await acme.post("/membership/", { email: address() });
    const again = await acme.post("/membership/", { email: member.email });

    assert.equal((await open(linkIn(member.invitation_url, here))).status, 404, "the first was replaced");
    assert.equal((await open(linkIn(again.invitation_url, here), "POST")).status, 303);
    assert.equal(await statusOf(acme, member.id), "active");
    assert.equal("invitation_url" in (await acme.get("/membership/")).data[0], false);
    assert.ok(!JSON.stringify(await acme.events(member.id)).includes(again.invitation_url.split("/").at(-2)));
    const rows = await here.app.db.query(acme.id, {
      text: "select from system_mail where organization_id = $1",
      values: [acme.id],
    });
    assert.equal(rows.length, 0, "nothing is pretended to be sent");
  });

  test("who closed the page before choosing a password finds it by the same link", async () => {
    const acme = await organization();
    const visitor = new Visitor(acme.service);
    const { invitation_url, email } = await acme.post("/membership/", { email: address() });
    const { pathname } = new URL(invitation_url);
    await visitor.open(pathname);
    assert.match((await visitor.send({})).text, new RegExp(`Choose a password[^]*${email}`));

    const later = new Visitor(acme.service);
    await later.open(pathname);
    await later.send({});
    const account = await later.send({ password: "plover granite teacup" });
    assert.deepEqual([account.status, account.path], [200, "/account/"]);
    assert.ok(!(await new Visitor(acme.service).open(pathname)).text.includes("<form"), "now it opens nothing");
  });

  test("a link that one organization saw opens no account that has become a member of another", async () => {
    const [acme, other] = [await organization(), await organization()];
    const email = address();
    const [eve, person] = [new Visitor(acme.service), new Visitor(acme.service)];
    await eve.open(new URL((await acme.post("/membership/", { email })).invitation_url).pathname);
    await eve.send({});
    assert.match(eve.shown!.text, /Choose a password/);
    await person.open(new URL((await other.post("/membership/", { email, role_id: "admin" })).invitation_url).pathname);
    await person.send({});

    const tried = await eve.send({ password: "plover granite teacup" });

    assert.equal(tried.status, 404);
    assert.equal((await eve.open("/account/")).path.split("?")[0], "/sign-in/");
  });

  test("a sign-in that only one organization vouches for reaches no other: not where it was a member before, nor one that the operator makes", async () => {
    const [acme, other] = [await organization(), await organization()];
    const email = address();
    const there = await other.post("/membership/", { email, role_id: "admin" });
    const person = new Visitor(other.service);
    await person.open(new URL(there.invitation_url).pathname);
    await person.send({});
    await other.delete(`/membership/${there.id}/`);
    const eve = new Visitor(acme.service);
    await eve.open(new URL((await acme.post("/membership/", { email })).invitation_url).pathname);
    await eve.send({});
    await eve.send({ password: "plover granite teacup" });

    assert.equal((await other.post("/membership/", { email })).status, "invited", "they accept by signing in");
    assert.ok((await eve.open("/account/")).text.includes(email));
    await createOrganization(acme.service.app, { name: "Newco", email });

    assert.equal((await eve.open("/account/")).path.split("?")[0], "/sign-in/");
    await eve.send({ email, password: "plover granite teacup" });
    assert.match(eve.shown!.text, /wrong|not right/i);
  });

  test("another link, or none, leads nowhere", async () => {
    const { url } = await service();

    for (const token of ["x", "a".repeat(43), "a".repeat(44), "%00", "..%2f"]) {
      const page = await open(`${url}/invite/${token}/`);
      assert.ok([400, 404].includes(page.status), `${token}: ${page.status}`);
    }
    assert.equal((await fetch(`${url}/invite/${"a".repeat(43)}/`, { method: "DELETE" })).status, 405);
  });
});
