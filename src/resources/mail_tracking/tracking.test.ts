import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import type { Resource } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { lockWhere } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { fromHtml } from "../../values/rich_text.ts";
import { channelMessage } from "../activities/channel_message.ts";
import { email } from "../activities/email.ts";
import { sms } from "../activities/sms.ts";
import { emailTemplate } from "../templates/email_template.ts";
import { smsTemplate } from "../templates/sms_template.ts";
import { type Copy, copiesOf } from "./copies.ts";
import { withoutOurLinks } from "./quoted.ts";

const person = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** A mail, and the copies of it that are sent. */
async function mail(
  acme: Workspace,
  body: object,
  to = ["ann@example.com", "bob@example.com"],
  values: object = {},
): Promise<{ sent: any; copies: Copy[] }> {
  const lead = await acme.lead();
  const sent = await acme.post("/activity/email/", { lead_id: lead.id, status: "sent", subject: "Offer", to, ...body });
  const copies = await acme.inside(async (ctx) => {
    const [row] = await lockWhere(ctx, email, sql`t.id = ${sent.id}`);
    return copiesOf(ctx, Object.keys(values).length === 0 ? row! : store.update(ctx, email, row!, values), to);
  });
  return { sent, copies };
}

/** The base URL of links in tests is not served, so the request goes to the service's own port. */
const at = (acme: Workspace, url: string): string => `${acme.service.url}${new URL(url).pathname}`;
const ask = (acme: Workspace, url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(at(acme, url), { redirect: "manual", ...init, headers: { "user-agent": person, ...init.headers } });
const linkIn = (text: string | null, path: string): string =>
  new RegExp(`http://localhost/${path}/[\\w-]{43}(?:\\.gif|/[\\w-]*/?)?`).exec(text ?? "")![0];
const eventsOf = async (acme: Workspace, name: string): Promise<any[]> => (await acme.get(`/event/?event=${name}`)).data;
const later = (ms: number) => new Date(Date.now() + ms);

describe("a copy leaves", () => {
  test("once for all where nothing in it is for one alone", async () => {
    const acme = await organization();

    const { copies } = await mail(acme, { body_text: "Hello https://acme.example" });

    assert.equal(copies.length, 1);
    assert.deepEqual([copies[0]!.to, copies[0]!.headers], [["ann@example.com", "bob@example.com"], {}]);
  });

  test("for each recipient where its author put the tag, in both parts and for mail programs", async () => {
    const acme = await organization();
    const body_html = '<p>Hello {% unsubscribe %} or <a href="{{ unsubscribe_link }}">leave</a></p>';

    const { copies } = await mail(acme, { body_html });

    const links = copies.map(({ html }) => linkIn(html, "u"));
    assert.deepEqual(copies.map(({ to }) => to).flat(), ["ann@example.com", "bob@example.com"]);
    assert.notEqual(links[0], links[1]);
    copies.forEach(({ html, text, headers }, i) => {
      assert.equal(html!.split(links[i]!).length, 3);
      assert.doesNotMatch(html!, /\{[{%]/);
      assert.ok(text.includes(links[i]!));
      assert.deepEqual(headers, {
        "List-Unsubscribe": `<${links[i]}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      });
    });
  });

  test("with the link at its end where it goes to many, and the same at every try", async () => {
    const acme = await organization();
    const mailing = { sequence_id: "seq_1" };

    const { sent, copies } = await mail(acme, { body_html: "<p>Hello</p>" }, ["ann@example.com"], mailing);
    const again = await acme.inside(async (ctx) =>
      copiesOf(ctx, (await lockWhere(ctx, email, sql`t.id = ${sent.id}`))[0]!, ["ann@example.com"]),
    );

    assert.match(copies[0]!.html!, /<p>Hello<\/p><p><a href="http:\/\/localhost\/u\/[\w-]{43}\/">Unsubscribe<\/a><\/p><\/body>$/);
    assert.match(copies[0]!.text, /^Hello\n\nUnsubscribe: http:/);
    assert.deepEqual(again, copies);
  });
});

describe("a mail that comes in", () => {
  test("has none of the links of ours that it quotes, and leads to their targets itself", async () => {
    const acme = await organization();
    const body_html = '<p>See <a href="https://acme.example/a?b=1&amp;c=2">here</a> {% unsubscribe %}</p>';
    const body_text = "See https://acme.example/a?b=1&c=2. {% unsubscribe %}";
    const { copies } = await mail(acme, { body_html, body_text, tracking: { opens: true, clicks: true } }, ["ann@example.com"]);
    const [sent] = copies as [Copy];
    const answer = fromHtml(`Thanks!<blockquote>${sent.html}</blockquote><a href="https://other.example/u/x/">else</a>`).html;

    const { html, text } = await acme.inside((ctx) => withoutOurLinks(ctx, { html: answer, text: `> ${sent.text}` }));

    assert.match(sent.html!, /localhost\/c\/.*localhost\/u\/.*localhost\/o\//s);
    assert.doesNotMatch(html! + text!, /localhost/);
    assert.match(html!, /Thanks!.*<a href="https:\/\/acme\.example\/a\?b=1&amp;c=2">here<\/a> Unsubscribe/s);
    assert.match(html!, /<a href="https:\/\/other\.example\/u\/x\/">(<br \/>)?else<\/a>/);
    assert.match(text!, /^> See https:\/\/acme\.example\/a\?b=1&c=2\. Unsubscribe: $/);
  });

  test("loses them also within the addresses of checkers, in capitals, and by detours", async () => {
    const acme = await organization();
    const { copies } = await mail(
      acme,
      { body_text: "https://acme.example/a?b=1 {% unsubscribe %}", tracking: { clicks: true } },
      ["ann@example.com"],
    );
    const [click, leave] = ["c", "u"].map((path) => linkIn(copies[0]!.text, path));
    const encoded = encodeURIComponent(click!);
    const proofpoint = encodeURIComponent(click!)
      .replaceAll("-", "%2D")
      .replaceAll("_", "%5F")
      .replaceAll("%2F", "_")
      .replaceAll("%", "-");
    const written = [
      `https://eur01.safelinks.protection.outlook.com/?url=${encoded}&data=05%7C02&reserved=0`,
      `https://EUR01.safelinks.protection.outlook.com/?url=${encodeURIComponent(encoded)}`,
      `https://www.google.com/url?q=${encoded}&sa=D`,
      `https://urldefense.proofpoint.com/v2/url?u=${proofpoint}&d=DwMFaQ`,
      `https://urldefense.com/v3/__${click}__;!!AbC!dEf$`,
      click!.replace("http://localhost", "HTTP://LOCALHOST"),
      click!.replace("/c/", "/./c/"),
      click!.replace("/c/", "/x/../c/"),
      click!.replace("/c/", "/%63/"),
    ];
    const pixel = leave!.replace("/u/", "/./o/").replace(/\/$/, ".gif");
    const others = ["https://www.google.com/url?q=https%3A%2F%2Felse.example%2Fc%2Fx", "https://else.example/?from=localhost"];

    const answers = written.map((url) => fromHtml(`<p><a href="${url.replaceAll("&", "&amp;")}">here</a></p>`).html);
    const html = `${answers.join("")}${fromHtml(`<img src="${pixel}"><a href="https://x.safelinks.protection.outlook.com/?url=${encodeURIComponent(leave!)}">Leave</a>`).html}`;
    const text = `${written.map((url) => `(${url}).`).join("\n")}\n${others.join("\n")}`;
    const clean = await acme.inside((ctx) => withoutOurLinks(ctx, { html, text }));

    assert.equal(clean.html!.match(/<a href="https:\/\/acme\.example\/a\?b=1">here<\/a>/g)?.length, written.length);
    assert.doesNotMatch(clean.html!, /<img|localhost|safelinks/i);
    assert.match(clean.html!, /Leave/);
    assert.equal(clean.text, `${written.map(() => "(https://acme.example/a?b=1).").join("\n")}\n${others.join("\n")}`);
  });

  test("is forwarded without them, as a draft has none either", async () => {
    const acme = await organization();
    const { copies } = await mail(acme, { body_html: '<p><a href="https://acme.example/a">here</a> {% unsubscribe %}</p>' }, [
      "ann@example.com",
    ]);
    const lead = await acme.lead();

    const draft = await acme.post("/activity/email/", { lead_id: lead.id, body_html: `<p>See:</p>${copies[0]!.html}` });
    const changed = await acme.put(`/activity/email/${draft.id}/`, { body_html: `<p>Now:</p>${copies[0]!.html}` });

    assert.match(copies[0]!.html!, /localhost\/u\//);
    for (const { body_html, body_text } of [draft, changed]) assert.doesNotMatch(body_html + body_text, /localhost/);
    assert.match(changed.body_html, /Now:.*here/s);
  });

  test("is quoted without them in notes, calls, meetings, deals and comments", async () => {
    const acme = await organization();
    const written = '<p>See <a href="https://acme.example/a">here</a> {% unsubscribe %}</p>';
    const { copies } = await mail(acme, { body_html: written, tracking: { opens: true, clicks: true } }, ["ann@example.com"]);
    const { html, text } = copies[0]!;
    const { id: lead_id } = await acme.lead();
    const starts_at = later(3_600_000).toISOString();
    const kinds: [path: string, body: object, field: string][] = [
      ["/activity/note/", { lead_id }, "note"],
      ["/activity/call/", { lead_id }, "note"],
      ["/activity/meeting/", { lead_id, title: "Offer", starts_at }, "user_note"],
      ["/opportunity/", { lead_id }, "note"],
    ];

    assert.match(html! + text, /localhost\/c\/.*localhost\/u\/.*localhost\/o\//s);
    for (const [path, body, field] of kinds) {
      const made = await acme.post(path, { ...body, [`${field}_html`]: `<p>He got:</p>${html}` });
      const changed = await acme.put(`${path}${made.id}/`, { [`${field}_html`]: `<p>She got:</p>${html}` });
      const plain = await acme.post(path, { ...body, [field]: `He got ${linkIn(html, "c")}. ${text}` });

      for (const one of [made, changed, plain]) assert.doesNotMatch(JSON.stringify(one), /localhost\/[cuo]\//, path);
      for (const one of [made, changed])
        assert.match(one[`${field}_html`], /got:.*<a href="https:\/\/acme\.example\/a">here<\/a>/s);
      assert.match(plain[field], /^He got https:\/\/acme\.example\/a\. See here/);
    }
    const note = await acme.note({ lead_id });
    const comment = await acme.post("/comment/", { object_id: note.id, body: `<p>He got:</p>${html}` });
    const corrected = await acme.put(`/comment/${comment.id}/`, { body: `<p>She got:</p>${html}` });
    for (const { body } of [comment, corrected]) {
      assert.doesNotMatch(body, /localhost/);
      assert.match(body, /got:.*<a href="https:\/\/acme\.example\/a">here<\/a>/s);
    }
  });

  test("is passed on without them in texts, channel messages and templates", async () => {
    const acme = await organization();
    const { copies } = await mail(
      acme,
      {
        body_html: '<p>See <a href="https://acme.example/a">here</a> {% unsubscribe %}</p>',
        tracking: { opens: true, clicks: true },
      },
      ["ann@example.com"],
    );
    const [click, leave] = ["c", "u"].map((path) => linkIn(copies[0]!.html, path));
    const at = { lead_id: (await acme.lead()).id, channel: "whatsapp", status: "draft" };
    const words = `See ${click} or ${leave}`;
    const without = /^See https:\/\/acme\.example\/a or\s*$/;

    const text = await acme.post("/activity/sms/", { ...at, text: words });
    const message = await acme.post("/activity/channel_message/", { ...at, text: words });
    const rich = await acme.post("/activity/channel_message/", { ...at, message_markdown: `[here](${click}) ${leave}` });
    const template = await acme.post("/email_template/", { name: "Pasted", subject: words, body_html: copies[0]!.html });
    const short = await acme.post("/sms_template/", { name: "Pasted", text: `Hi {{ contact.first_name }}, ${words}` });
    const letter = await acme.post("/activity/email/", { ...at, subject: words });
    const logged = [];
    for (const kind of ["email", "sms", "channel_message"])
      logged.push(
        await acme.post(`/activity/${kind}/`, { ...at, status: "inbox", sender: "ann@example.com", text: words, subject: words }),
      );
    const account = await acme.post("/connected_account/", {
      email: "ada@acme.example",
      smtp: { host: "93.184.216.34" },
      signature: `<p>Ada <a href="${leave}">Leave</a></p>`,
    });
    const changed = [
      await acme.put(`/connected_account/${account.id}/`, { signature: `Ada, ${leave}` }),
      await acme.put(`/activity/sms/${text.id}/`, { text: `Now: ${click}` }),
      await acme.put(`/activity/channel_message/${message.id}/`, { text: words }),
      await acme.put(`/activity/channel_message/${message.id}/`, { text: `Now: ${click}` }),
      await acme.put(`/email_template/${template.id}/`, { body: `<p>Now:</p>${copies[0]!.html}` }),
      await acme.put(`/email_template/${template.id}/`, { subject: `Now: ${click}` }),
      await acme.put(`/sms_template/${short.id}/`, { text: `Now: ${click}` }),
      await acme.put(`/activity/email/${letter.id}/`, { subject: `Now: ${click}` }),
    ];

    assert.match(text.text, without);
    assert.match(message.text, without);
    assert.equal(rich.message_markdown.trim(), "[here](https://acme.example/a)");
    assert.match(rich.message_html, /<a href="https:\/\/acme\.example\/a">here<\/a>/);
    assert.equal(short.text.trim(), "Hi {{ contact.first_name }}, See https://acme.example/a or");
    for (const { subject } of [template, letter, logged[0]]) assert.match(subject, without);
    for (const one of logged.slice(1)) assert.match(one.text, without);
    assert.match(logged[2].message_html, /See https:\/\/acme\.example\/a or/);
    for (const one of [text, message, rich, template, short, letter, account, ...logged, ...changed])
      assert.doesNotMatch(JSON.stringify(one), /localhost\/[cuo]\//);
    assert.match(template.body, /<a href="https:\/\/acme\.example\/a">here<\/a> Unsubscribe/);
    // What one of them had before is written back as it was read.
    const kept = [
      [sms, text.id, "text"],
      [channelMessage, message.id, "text"],
      [email, letter.id, "subject"],
      [emailTemplate, template.id, "subject"],
      [smsTemplate, short.id, "text"],
    ] as const;
    for (const [of, id, field] of kept) {
      await acme.inside(async (ctx) => {
        const [row] = await lockWhere(ctx, of as Resource, sql`t.id = ${id}`);
        store.update(ctx, of as Resource, row!, { [field]: words });
      });
      const path = `${of.path}/${id}/`;
      assert.equal((await acme.put(path, { [field]: (await acme.get(path))[field] }))[field], words);
    }
    const long = { ...at, text: `${"x".repeat(1600 - click!.length - 1)} ${click}` };
    const { id } = await acme.post("/activity/sms/", long);
    assert.equal((await acme.get(`/activity/sms/${id}/`)).text.endsWith("https://acme.example/a"), true);
  });

  test("has no link of another organization's mail resolved", async () => {
    const [acme, other] = [await organization(), await organization()];
    const { copies } = await mail(acme, { body_text: "https://acme.example/secret", tracking: { clicks: true } }, [
      "ann@example.com",
    ]);

    const { text } = await other.inside((ctx) => withoutOurLinks(ctx, { html: null, text: copies[0]!.text }));

    assert.equal(text!.trim(), "");
  });
});

describe("the page to unsubscribe", () => {
  const body_text = "{{ unsubscribe_link }}";
  const given = async () => {
    const acme = await organization();
    const ann = await acme.contact({ emails: [{ email: "Ann@example.com" }] });
    const { sent, copies } = await mail(acme, { body_text });
    return { acme, ann, sent, url: linkIn(copies[0]!.text, "u") };
  };
  const isOut = async (acme: Workspace, ann: any) => (await acme.get(`/contact/${ann.id}/`)).emails[0].is_unsubscribed;

  test("changes nothing by being looked at, and names the organization but not the address", async () => {
    const { acme, ann, url } = await given();

    const [page, head] = [await ask(acme, url), await ask(acme, url, { method: "HEAD" })];

    const text = await page.text();
    assert.deepEqual([page.status, head.status], [200, 200]);
    assert.ok(text.includes((await acme.get(`/organization/${acme.id}/`)).name));
    assert.ok(!text.includes("ann@example.com") && text.includes("a…@example.com"));
    assert.match(text, /width=device-width/);
    assert.match(text, /color-scheme: light dark/);
    assert.equal(await isOut(acme, ann), false);
  });

  test("unsubscribes by a button or by a mail program in either form, once however often, and ends the sequences", async () => {
    const { acme, ann, url } = await given();
    const sequence = await acme.post("/sequence/", { name: "Calls", steps: [{ step_type: "call" }] });
    const way = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: ann.id });
    const form = new FormData();
    form.set("List-Unsubscribe", "One-Click");

    const answers = [
      await ask(acme, url, { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) }),
      await ask(acme, url, { method: "POST", body: form }),
      await ask(acme, url, { method: "POST" }),
    ];

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(await isOut(acme, ann), true);
    const [left, ...more] = await eventsOf(acme, "contact.unsubscribed");
    assert.deepEqual([left.object_id, left.meta.source, more], [ann.id, "one_click", []]);
    assert.equal((await acme.get(`/sequence_subscription/${way.id}/`)).status_reason, "unsubscribed");
  });

  test("works when the mail, the contact and the lead are gone", async () => {
    const { acme, ann, sent, url } = await given();
    await acme.delete(`/activity/email/${sent.id}/`);
    await acme.delete(`/lead/${ann.lead_id}/`);
    await acme.delete(`/lead/${sent.lead_id}/`);

    assert.equal((await ask(acme, url, { method: "POST" })).status, 200);

    const again = await acme.contact({ emails: [{ email: "ann@example.com" }] });
    assert.equal(again.emails[0].is_unsubscribed, true);
  });

  test("is nobody's under an address that was changed or made up", async () => {
    const { acme, ann, url } = await given();
    const changed = url.replace(/.(?=\/$)/, (sign) => (sign === "A" ? "B" : "A"));

    for (const one of [changed, `http://localhost/u/${"x".repeat(43)}/`, "http://localhost/u/short/"])
      for (const method of ["GET", "POST"]) assert.equal((await ask(acme, one, { method })).status, 404, `${method} ${one}`);
    assert.equal(await isOut(acme, ann), false);
  });
});

describe("where it is tracked", () => {
  const tracked = async () => {
    const acme = await organization();
    await acme.put(`/organization/${acme.id}/`, { settings: { email_tracking: { opens: true, clicks: true } } });
    return acme;
  };
  const file = (acme: Workspace) => atMoment(acme.service, later(120_000).toISOString(), "mail_hits");
  const shown = (acme: Workspace, sent: any) => acme.get(`/activity/email/${sent.id}/`);
  /** Long after it was sent. */
  const old = { date_sent: new Date(Date.now() - 3_600_000).toISOString() };

  test("links of the web lead through here in both parts, and nothing else does", async () => {
    const acme = await tracked();
    const body_html =
      '<p><a href="https://acme.example/a?x=1&amp;y=2">a</a> <a href="mailto:eva@acme.example">b</a> <a href="tel:+4930">c</a></p>';

    const { copies } = await mail(acme, { body_html, body_text: "See https://acme.example/b. Or mailto:eva@acme.example" });

    const [{ html, text }] = copies as [Copy];
    assert.match(html!, /href="mailto:eva@acme\.example".*href="tel:\+4930"/);
    assert.doesNotMatch(html!, /acme\.example\/a/);
    assert.match(text, /^See http:\/\/localhost\/c\/[\w-]{43}\/[\w-]{22}\/\. Or mailto:eva@acme\.example$/);
    const answer = await ask(acme, linkIn(html, "c"));
    assert.deepEqual([answer.status, answer.headers.get("location")], [302, "https://acme.example/a?x=1&y=2"]);
  });

  test("is nothing unless the organization or the mail says so, and a member may want to know of no opens", async () => {
    const [silent, acme] = [await organization(), await tracked()];
    const body = { body_html: '<p><a href="https://acme.example/">a</a></p>' };
    const memberships = (await acme.get("/membership/")).data;
    await acme.put(`/membership/${memberships[0].id}/`, { track_email_opens: false });

    const none = (await mail(silent, body)).copies;
    const asked = (await mail(silent, { ...body, tracking: { opens: true } })).copies;
    const noOpens = (await mail(acme, body)).copies[0]!.html!;

    assert.deepEqual([none.length, asked.length], [1, 2]);
    assert.deepEqual([noOpens.includes("/o/"), noOpens.includes("/c/")], [false, true]);
    await acme.refused(400, "PUT", `/organization/${acme.id}/`, { settings: { email_tracking: { opens: "yes" } } });
  });

  test("an opening and a click of a person are told; what programs do is only written down", async () => {
    const acme = await tracked();
    const body = { body_html: '<p><a href="https://acme.example/">a</a></p>', ...old };
    const { sent, copies } = await mail(acme, body, ["Ann@example.com"]);
    const [pixel, link] = [linkIn(copies[0]!.html, "o"), linkIn(copies[0]!.html, "c")];

    const picture = await ask(acme, pixel);
    await ask(acme, link);
    await ask(acme, pixel, { headers: { "user-agent": "Mozilla/5.0" } });
    await ask(acme, link, { method: "HEAD" });
    await file(acme);

    assert.deepEqual([picture.status, picture.headers.get("content-type")], [200, "image/gif"]);
    const { opens, opens_summary, clicks, clicks_summary } = await shown(acme, sent);
    assert.deepEqual(opens.map((one: any) => [one.opened_by, one.is_machine]).sort(), [
      ["ann@example.com", false],
      ["ann@example.com", true],
    ]);
    assert.deepEqual([opens_summary, clicks.length, clicks_summary], ["Opened once", 2, "Clicked once"]);
    const [opened, clicked] = [await eventsOf(acme, "activity.email.opened"), await eventsOf(acme, "activity.email.clicked")];
    assert.deepEqual([opened.length, clicked.length, clicked[0].meta.url], [1, 1, "https://acme.example/"]);
  });

  test("following every link at once is a scanner", async () => {
    const acme = await tracked();
    const body_html = [1, 2, 3].map((n) => `<a href="https://acme.example/${n}">x</a>`).join(" ");
    const { sent, copies } = await mail(acme, { body_html, ...old }, ["ann@example.com"]);

    const links = copies[0]!.html!.match(/http:\/\/localhost\/c\/[\w-]+\/[\w-]+\//g)!;
    await Promise.all(links.map((link) => ask(acme, link)));
    await file(acme);

    const { clicks, clicks_summary } = await shown(acme, sent);
    assert.deepEqual([clicks.length, clicks_summary], [3, null]);
    assert.deepEqual(await eventsOf(acme, "activity.email.clicked"), []);
  });

  test("what comes within two seconds of the sending is a proxy's", async () => {
    const acme = await tracked();
    const { sent, copies } = await mail(acme, { body_html: "<p>Hello</p>" }, ["ann@example.com"]);

    await ask(acme, linkIn(copies[0]!.html, "o"));
    await file(acme);

    assert.deepEqual([(await shown(acme, sent)).opens.length, (await shown(acme, sent)).opens_summary], [1, null]);
  });

  test("many who open it at once are all written down", async () => {
    const acme = await tracked();
    const to = Array.from({ length: 200 }, (_, i) => `p${i}@example.com`);
    const { sent, copies } = await mail(acme, { body_html: "<p>Hello</p>", ...old }, to);

    const answers = await Promise.all(copies.map(({ html }) => ask(acme, linkIn(html, "o"))));
    await file(acme);

    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(new Set((await shown(acme, sent)).opens.map((one: any) => one.opened_by)).size, 200);
  });

  test("a link leads only where a mail of the same organization had it lead", async () => {
    const [acme, other] = [await tracked(), await tracked()];
    const mine = linkIn((await mail(acme, { body_html: '<a href="https://acme.example/">a</a>' })).copies[0]!.html, "c");
    const theirs = linkIn((await mail(other, { body_html: '<a href="https://other.example/">a</a>' })).copies[0]!.html, "c");
    const foreign = mine.replace(/[\w-]{22}\/$/, /[\w-]{22}\/$/.exec(theirs)![0]);

    for (const url of [
      foreign,
      mine.replace(/(?<=\/c\/)./, (first) => (first === "_" ? "-" : "_")),
      `${mine}?url=https://evil.example`.replace(/[\w-]{22}\//, "evil/"),
    ]) {
      const answer = await ask(acme, url);
      assert.deepEqual([answer.status, answer.headers.get("location")], [404, null], url);
    }
  });

  test("a link leads on when the mail is gone, and nothing waits to be filed", async () => {
    const acme = await tracked();
    const { sent, copies } = await mail(acme, { body_html: '<a href="https://acme.example/">a</a>' });
    await acme.delete(`/activity/email/${sent.id}/`);

    assert.equal((await ask(acme, linkIn(copies[0]!.html, "c"))).status, 302);
    await file(acme);

    const [row] = await acme.service.app.db.unscoped({
      text: "/* a test */ select count(*) from mail_hit where organization_id = $1",
      values: [acme.id],
    });
    assert.equal(row![0], "0");
  });
});
