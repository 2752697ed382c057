import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";

const somebody = (ws: Workspace, body: object = {}) =>
  ws.contact({ name: "Ann <Lee>", title: "CTO", emails: [{ email: "ann@example.com" }], ...body });

const render = (ws: Workspace, template: any, person: any) =>
  ws.get(`/email_template/${template.id}/render/?lead_id=${person.lead_id}&contact_id=${person.id}`);

describe("rendering", () => {
  test("fills in the lead, the contact, the deal, the caller and the organization, escaped in the body", async () => {
    const acme = await organization();
    const { name: workspace } = await acme.get(`/organization/${acme.id}/`);
    const field = await acme.customField("lead", { name: "Account tier", type: "text" });
    const lead = await acme.lead({ name: "Bolt & Co", [`custom.${field.id}`]: "Gold", addresses: [{ city: "Berlin" }] });
    const person = await somebody(acme, { lead_id: lead.id });
    await acme.opportunity({ lead_id: lead.id, value: 1200000 });
    const template = await acme.post("/email_template/", {
      name: "Hello",
      subject: "{{ contact.first_name }} of {{ lead.name }}",
      body: '<p>{{ contact.name }}, {{ contact.title }} in {{ lead.address.city }} ({{ lead.status }}, {{ lead.custom["Account tier"] }})</p>{{ opportunity.value }} {{ user.first_name }} {{ organization.name }}',
    });

    const rendered = await render(acme, template, person);

    assert.deepEqual(rendered, {
      template_id: template.id,
      subject: "Ann of Bolt & Co",
      body: `<p>Ann &lt;Lee&gt;, CTO in Berlin (Potential, Gold)</p>$12,000.00 Ada ${workspace}`,
      email: "ann@example.com",
      contact_id: person.id,
      contact_display_name: "Ann <Lee>",
      lead_id: lead.id,
      lead_display_name: "Bolt & Co",
      missing_variables: [],
    });
  });

  test("lists what it could not fill in", async () => {
    const acme = await organization();
    const person = await somebody(acme, { title: null });
    const template = await acme.post("/email_template/", {
      name: "Hello",
      subject: "{{ contact.shoe_size }}",
      body: '{{ contact.title }}{{ contact.title | default: "friend" }}',
    });

    const { subject, body, missing_variables } = await render(acme, template, person);

    assert.deepEqual([subject, body, missing_variables], ["", "friend", ["contact.shoe_size", "contact.title"]]);
  });

  test("takes a lead and a contact of that lead", async () => {
    const acme = await organization();
    const [person, other] = [await somebody(acme), await somebody(acme)];
    const { id } = await acme.post("/email_template/", { name: "Hello" });
    const path = `/email_template/${id}/render/`;

    await acme.refused(400, "GET", path, undefined, "lead_id");
    await acme.refused(400, "GET", `${path}?lead_id=${person.lead_id}`, undefined, "contact_id");
    await acme.refused(400, "GET", `${path}?lead_id=${person.lead_id}&contact_id=cont_none`, undefined, "contact_id");
    await acme.refused(400, "GET", `${path}?lead_id=lead_none&contact_id=${person.id}`, undefined, "lead_id");
    await acme.refused(400, "GET", `${path}?lead_id=${person.lead_id}&contact_id=${other.id}`, undefined, "contact_id");
    await acme.refused(404, "GET", `/email_template/tmpl_none/render/?lead_id=${person.lead_id}&contact_id=${person.id}`);
  });

  test("a hostile template is cut off, and the field is named", async () => {
    const acme = await organization();
    const person = await somebody(acme);
    const loop = await acme.post("/email_template/", { name: "Loop", body: "{% for i in (1..99999999) %}x{% endfor %}" });
    const growing = await acme.post("/email_template/", {
      name: "Growing",
      subject: `{% assign a = "xxxxxxxxxx" %}${"{% assign a = a | append: a %}".repeat(25)}{{ a }}`,
    });
    const at = `lead_id=${person.lead_id}&contact_id=${person.id}`;

    await acme.refused(400, "GET", `/email_template/${loop.id}/render/?${at}`, undefined, "body");
    await acme.refused(400, "GET", `/email_template/${growing.id}/render/?${at}`, undefined, "subject");
    await acme.refused(400, "POST", "/activity/email/", { contact_id: person.id, template_id: loop.id }, "template_id");
  });
});

test("the caller's signature and number are filled in, the signature as text", async () => {
  const acme = await organization();
  const person = await acme.contact();
  await acme.put("/me/", { signature: "<p>Best,</p><p>Ada &amp; Co</p>" });
  await acme.post("/phone_number/", { number: "+12125551234" });
  const { id } = await acme.post("/email_template/", {
    name: "A",
    subject: "{{ user.phone }}",
    body: "{{ user.signature }}",
  });

  const made = await acme.get(`/email_template/${id}/render/?lead_id=${person.lead_id}&contact_id=${person.id}`);

  assert.equal(made.subject, "+1 212-555-1234");
  assert.match(made.body, /^Best,\s+Ada &amp; Co$/);
  assert.deepEqual(made.missing_variables, []);
});

test("a template that cannot be read is not saved", async () => {
  const acme = await organization();
  const { id } = await acme.post("/email_template/", { name: "Fine" });

  await acme.refused(400, "POST", "/email_template/", { name: "A", body: "Hi {{ name" }, "body");
  await acme.refused(400, "POST", "/email_template/", { name: "A", body_html: "{% if x %}" }, "body");
  await acme.refused(400, "POST", "/email_template/", { name: "A", body_html: null }, "body_html");
  await acme.refused(400, "PUT", `/email_template/${id}/`, { subject: '{% include "x" %}' }, "subject");
  await acme.refused(400, "POST", "/sms_template/", { name: "A", text: "{{ x | nonsense }}" }, "text");
});

for (const [path, text] of [
  ["/email_template/", "body"],
  ["/sms_template/", "text"],
] as const) {
  describe(path, () => {
    test("is its owner's alone until it is shared", async () => {
      const acme = await organization();
      const [bob, eve] = [await acme.member(), await acme.member()];
      const template = await bob.post(path, { name: "Mine" });

      await eve.refused(404, "GET", `${path}${template.id}/`);
      await acme.refused(404, "GET", `${path}${template.id}/`);
      assert.deepEqual((await eve.get(path)).data, []);
      await bob.put(`${path}${template.id}/`, { is_shared: true });

      assert.equal((await eve.get(`${path}${template.id}/`)).user_id, bob.userId);
      assert.equal((await eve.get(`${path}?is_shared=true`)).data.length, 1);
    });

    test("shared, is changed by its owner and by who manages the team's", async () => {
      const acme = await organization();
      const [bob, eve] = [await acme.member(), await acme.member()];
      const template = await bob.post(path, { name: "Ours", is_shared: true });

      await eve.refused(403, "PUT", `${path}${template.id}/`, { [text]: "Mine now" });
      await eve.refused(403, "DELETE", `${path}${template.id}/`);
      await acme.put(`${path}${template.id}/`, { [text]: "Better" });
      await bob.delete(`${path}${template.id}/`);

      await bob.refused(404, "GET", `${path}${template.id}/`);
    });
  });
}

test("admins read the private templates of who is no longer a member", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const template = await bob.post("/email_template/", { name: "Left behind" });
  const [{ id }] = (await acme.get(`/membership/?user_id=${bob.userId}`)).data;

  await acme.delete(`/membership/${id}/`);

  assert.equal((await acme.get(`/email_template/${template.id}/`)).name, "Left behind");
});

test("an e-mail without a body of its own is written from its template, and shows its name while there is one", async () => {
  const acme = await organization();
  const person = await somebody(acme);
  const template = await acme.post("/email_template/", {
    name: "Hello",
    subject: "Hi {{ contact.first_name }}",
    body: "<p>Dear {{ contact.name }}</p>",
    attachments: [{ url: "https://files.example/a.pdf", filename: "a.pdf" }],
  });
  const body = { contact_id: person.id, template_id: template.id };

  const email = await acme.post("/activity/email/", body);
  const own = await acme.post("/activity/email/", { ...body, subject: "Mine", body_text: "My own words" });
  await acme.delete(`/email_template/${template.id}/`);

  assert.equal(email.subject, "Hi Ann");
  assert.equal(email.body_text, "Dear Ann <Lee>");
  assert.match(email.body_html, /Dear Ann &lt;Lee&gt;/);
  assert.equal(email.attachments[0].filename, "a.pdf");
  assert.deepEqual([own.subject, own.body_text, own.template_name], ["Mine", "My own words", "Hello"]);
  const { template_id, template_name } = await acme.get(`/activity/email/${email.id}/`);
  assert.deepEqual([template_id, template_name], [template.id, null]);
});

test("a draft that is given a template is filled in, what is written already stays", async () => {
  const acme = await organization();
  const person = await somebody(acme);
  const template = await acme.post("/email_template/", { name: "Hello", subject: "Hi", body: "Dear {{ contact.first_name }}" });
  const sms = await acme.post("/sms_template/", { name: "Hello", text: "Hi {{ contact.first_name }}" });
  const [empty, begun] = [
    await acme.post("/activity/email/", { contact_id: person.id }),
    await acme.post("/activity/email/", { contact_id: person.id, body_text: "Already" }),
  ];
  const message = await acme.post("/activity/sms/", { contact_id: person.id });

  assert.equal((await acme.put(`/activity/email/${empty.id}/`, { template_id: template.id })).body_text, "Dear Ann");
  assert.equal((await acme.put(`/activity/email/${begun.id}/`, { template_id: template.id })).body_text, "Already");
  assert.equal((await acme.put(`/activity/sms/${message.id}/`, { template_id: sms.id })).text, "Hi Ann");
});

test("unsubscribe links stay in a text in every step, and the values of a record never become one", async () => {
  const acme = await organization();
  const said = "{{ unsubscribe_link }} {% unsubscribe %} {{unsubscribe_link}}";
  const lead = await acme.lead({ name: said });
  const person = await acme.contact({
    lead_id: lead.id,
    name: `Ann {{ unsubscribe`,
    title: "_link }}",
    emails: [{ email: "ann@acme.io" }],
  });
  const body =
    '<p>{{ lead.name }} {{ contact.name }}{{ contact.title }}</p><a href="{{ unsubscribe_link }}">Stop</a> {% unsubscribe %}';
  const template = await acme.post("/email_template/", { name: "T", subject: "To {{ lead.name }}", body });
  const tags = (text: string) => text.match(/\{\{\s*unsubscribe_link\s*\}\}|\{%\s*unsubscribe\s*%\}/g);
  const both = ["{{ unsubscribe_link }}", "{% unsubscribe %}"];

  const rendered = await acme.get(`/email_template/${template.id}/render/?lead_id=${lead.id}&contact_id=${person.id}`);
  assert.deepEqual([tags(rendered.body), tags(rendered.subject)], [both, null]);
  assert.ok(rendered.body.replaceAll("\u2060", "").includes(said), rendered.body);

  const written = await acme.post("/activity/email/", { lead_id: lead.id, contact_id: person.id, template_id: template.id });
  const posted = await acme.post("/activity/email/", { lead_id: lead.id, subject: rendered.subject, body_html: rendered.body });
  const again = await acme.put(`/activity/email/${posted.id}/`, { body_html: `${posted.body_html}<p>P.S.</p>` });
  for (const mail of [written, posted, again]) {
    assert.deepEqual(tags(mail.body_html), both, mail.body_html);
    assert.match(mail.body_html, /<a href="\{\{ unsubscribe_link \}\}">Stop<\/a>/);
    assert.deepEqual(tags(mail.body_text), ["{% unsubscribe %}"]);
  }
  const plain = await acme.post("/activity/email/", { lead_id: lead.id, body_text: `Stop: ${both.join(" ")}` });
  assert.deepEqual([tags(plain.body_text), tags(plain.body_html)], [both, both]);

  const short = await acme.post("/sms_template/", { name: "T", text: "Hi {{ lead.name }}, stop: {{ unsubscribe_link }}" });
  const sms = await acme.post("/activity/sms/", { lead_id: lead.id, template_id: short.id, remote_phone: "+18004445555" });
  assert.deepEqual(tags(sms.text), ["{{ unsubscribe_link }}"]);
});

test("a text message from a template keeps to the length of one", async () => {
  const acme = await organization();
  const person = await somebody(acme);
  const long = await acme.post("/sms_template/", { name: "Long", text: "x".repeat(1601) });
  const email = await acme.post("/email_template/", { name: "Hello" });

  await acme.refused(400, "POST", "/activity/sms/", { contact_id: person.id, template_id: long.id }, "template_id");
  await acme.refused(400, "POST", "/activity/sms/", { contact_id: person.id, template_id: email.id }, "template_id");
});

test("somebody else's private template cannot be used", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const person = await somebody(acme);
  const template = await bob.post("/email_template/", { name: "Mine" });

  await acme.refused(400, "POST", "/activity/email/", { contact_id: person.id, template_id: template.id }, "template_id");
});
