// Files: how they are named and classified, what they belong to, the slots they fill, how they are read, and what is deleted with
// them.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { service } from "../../../test/support/service.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { erasure } from "../organization/erasure.ts";
import { sweepStoredBytes } from "./sweep.ts";

const base64 = (content: string | Buffer) => Buffer.from(content).toString("base64");
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAAEElEQVR4nGP4z8DwH4QZYAwAR8oH+WmtPSoAAAAASUVORK5CYII=",
  "base64",
);
const upload = (ws: Workspace, body: object = {}): Promise<any> =>
  ws.post("/file/", { name: "proposal.pdf", content_base64: base64("%PDF-1.7\n%%EOF"), ...body });

const storedBytes = async (ws: Workspace): Promise<string[]> => {
  try {
    return readdirSync(join((await service()).filesDir, "kept", ws.id));
  } catch {
    return [];
  }
};

const sweep = async () => {
  const { app } = await service();
  await sweepStoredBytes(app.db, app.core.settings.storage);
};

test("an uploaded file says what it is, and its bytes come back as they were", async () => {
  const acme = await organization();

  const made = await upload(acme);

  assert.equal(made.name, "proposal.pdf");
  assert.equal(made.mime, "application/pdf");
  assert.equal(made.type, "pdf");
  assert.equal(made.size, 14);
  assert.equal(made.scope, null);
  assert.equal(made.is_system, false);
  assert.equal(made.lead_id, null);
  assert.equal(made.share_url_base64, `${made.share_url}?format=base64`);
  assert.match(made.share_url, /^http:\/\/localhost\/f\/[\w-]{32}\/proposal\.pdf$/);
  assert.deepEqual(await acme.get(`/file/${made.id}/`), made);
  const download = await acme.ask("GET", `/file/${made.id}/download/`);
  assert.equal(download.text, "%PDF-1.7\n%%EOF");
  assert.equal(download.headers.get("content-type"), "application/pdf");
  assert.match(download.headers.get("content-disposition")!, /^attachment; filename="proposal.pdf"/);
  assert.equal(download.headers.get("x-content-type-options"), "nosniff");
});

test("a picture tells its measures, and bytes are believed over what is said of them", async () => {
  const acme = await organization();

  const made = await upload(acme, { name: "logo.pdf", mime: "application/pdf", content_base64: base64(png) });

  assert.equal(made.mime, "image/png");
  assert.equal(made.type, "image");
  assert.deepEqual([made.width, made.height], [2, 3]);
  for (const [mime, content, stored] of [
    ["image/jpeg", png, "image/png"],
    ["application/pdf", "Dear Ann", "text/plain"],
    ["text/csv", "a;b", "text/csv"],
  ] as const) {
    const answer = await acme.ask("POST", "/file/", { body: { mime, content_base64: base64(content) } });
    assert.deepEqual([answer.body.mime, answer.headers.get("x-ignored-fields")], [stored, stored === mime ? null : "mime"]);
  }
});

test("a file's type is what the caller says, else read off the media type", async () => {
  const acme = await organization();
  const typeOf = async (body: object) => (await upload(acme, { content_base64: base64("te\u0000xt"), ...body })).type;

  assert.equal(await typeOf({ mime: "text/csv" }), "spreadsheet");
  assert.equal(await typeOf({ mime: "application/vnd.openxmlformats-officedocument.wordprocessingml.document" }), "document");
  assert.equal(await typeOf({ mime: "application/pdf" }), "pdf");
  assert.equal(await typeOf({ mime: "text/plain", type: "presentation" }), "presentation");
  assert.equal(await typeOf({}), "other");
  assert.equal(await typeOf({ content_base64: base64("text") }), "text");
  await acme.refused(400, "POST", "/file/", { content_base64: base64("x"), type: "tape" }, "type");
  await acme.refused(400, "POST", "/file/", { content_base64: base64("x"), mime: "a pdf" }, "mime");
});

test("exactly one way brings the bytes, and nothing stays of what is refused", async () => {
  const acme = await organization();
  const refused = (body: object, field: string) => acme.refused(400, "POST", "/file/", body, field);

  await refused({ name: "a.txt" }, "file");
  await refused({ content_base64: base64("x"), content_url: "https://example.com/" }, "file");
  await refused({ content_base64: "not base64!" }, "content_base64");
  await refused({ content_base64: "abc" }, "content_base64");
  await refused({ content_base64: "" }, "content_base64");
  await refused({ content_base64: base64("x"), subtype: "poem" }, "subtype");
  await refused({ content_base64: base64("x"), outreach_channel: "fax" }, "outreach_channel");
  await refused({ content_base64: base64("x"), lead_id: "lead_nothing" }, "lead_id");

  assert.deepEqual((await acme.get("/file/")).data, []);
  assert.deepEqual(await storedBytes(acme), []);
});

test("a contact and a deal must be those of the lead", async () => {
  const acme = await organization();
  const [lead, other] = [await acme.lead(), await acme.lead()];
  const contact = await acme.contact({ lead_id: lead.id });
  const deal = await acme.opportunity({ lead_id: other.id });

  await acme.refused(400, "POST", "/file/", { content_base64: "eA==", contact_id: contact.id }, "contact_id");
  await acme.refused(
    400,
    "POST",
    "/file/",
    { content_base64: "eA==", lead_id: lead.id, opportunity_id: deal.id },
    "opportunity_id",
  );
  const made = await upload(acme, { lead_id: lead.id, contact_id: contact.id });

  assert.equal(made.contact_id, contact.id);
});

test("names are kept, but never as a path", async () => {
  const acme = await organization();
  const named = async (name: string) => (await upload(acme, { name })).name;

  assert.equal(await named("Angebot für Zürich.pdf"), "Angebot für Zürich.pdf");
  assert.equal(await named("../../etc/passwd"), ".._.._etc_passwd");
  assert.equal(await named("a\r\nb.pdf"), "ab.pdf");
  assert.equal((await upload(acme, { name: undefined })).name, "file");
});

test("lists are filtered by what a file is attached to and by what it is", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const asset = await upload(acme, { subtype: "brochure" });
  const attached = await upload(acme, { lead_id: lead.id, name: "Contract.pdf", subtype: "contract", outreach_channel: "email" });
  const ids = async (query: string) => (await acme.get(`/file/?${query}`)).data.map((one: any) => one.id);

  assert.deepEqual(await ids("scope=workspace"), [asset.id]);
  assert.deepEqual(await ids(`lead_id=${lead.id}`), [attached.id]);
  assert.deepEqual(await ids("subtype=brochure"), [asset.id]);
  assert.deepEqual(await ids("outreach_channel=email"), [attached.id]);
  assert.deepEqual(await ids("type=image"), []);
  assert.deepEqual(await ids("name=Contract.pdf"), [attached.id]);
  assert.deepEqual(await ids("query=contract"), [attached.id]);
  assert.deepEqual(await ids(`created_by=${acme.userId}&_order_by=name`), [attached.id, asset.id]);
  await acme.refused(400, "GET", "/file/?scope=mine", undefined, "scope");
});

test("a slot holds one file: who is assigned takes the former's place", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const first = await upload(acme, { lead_id: lead.id, outreach_channel: "email", subtype: "proposal" });
  const elsewhere = await upload(acme, { lead_id: lead.id, outreach_channel: "email", subtype: "pricing" });

  const second = await upload(acme, { lead_id: lead.id, subtype: "proposal" });
  await acme.put(`/file/${second.id}/`, { outreach_channel: "email" });

  assert.equal((await acme.get(`/file/${first.id}/`)).outreach_channel, null);
  assert.equal((await acme.get(`/file/${second.id}/`)).outreach_channel, "email");
  assert.equal((await acme.get(`/file/${elsewhere.id}/`)).outreach_channel, "email");
  assert.equal((await acme.events(first.id)).at(-1).action, "updated");
});

test("the contact's own file goes before the lead's, and that before the organization's", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const contact = await acme.contact({ lead_id: lead.id });
  const colleague = await acme.contact({ lead_id: lead.id });
  const query = `/file/resolve/?outreach_channel=email`;
  await acme.refused(404, "GET", query);
  const asset = await upload(acme, { outreach_channel: "email" });
  const ofLead = await upload(acme, { lead_id: lead.id, outreach_channel: "email" });
  const ofContact = await upload(acme, { lead_id: lead.id, contact_id: contact.id, outreach_channel: "email" });
  const resolved = async (more: string) => {
    const { id, scope } = await acme.get(`${query}${more}`);
    return [id, scope];
  };

  assert.deepEqual(await resolved(`&contact_id=${contact.id}`), [ofContact.id, "contact"]);
  assert.deepEqual(await resolved(`&contact_id=${colleague.id}`), [ofLead.id, "lead"]);
  assert.deepEqual(await resolved(`&lead_id=${lead.id}`), [ofLead.id, "lead"]);
  assert.deepEqual(await resolved(""), [asset.id, "workspace"]);
  assert.equal((await acme.get(`/file/resolve/?channel=email`)).id, asset.id);
  await acme.refused(404, "GET", `/file/resolve/?outreach_channel=sms&lead_id=${lead.id}`);
  await acme.refused(404, "GET", `${query}&subtype=proposal`);
  await acme.refused(400, "GET", "/file/resolve/", undefined, "outreach_channel");
  const elsewhere = await (await organization()).contact();
  for (const id of ["cont_nobody", elsewhere.id, colleague.lead_id])
    await acme.refused(400, "GET", `${query}&contact_id=${id}`, undefined, "contact_id");
  for (const id of ["lead_none", elsewhere.lead_id, colleague.id])
    await acme.refused(400, "GET", `${query}&lead_id=${id}`, undefined, "lead_id");
});

test("deleting a contact leaves its file with the lead, and no longer in the slot", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const contact = await acme.contact({ lead_id: lead.id });
  const ofLead = await upload(acme, { lead_id: lead.id, outreach_channel: "email" });
  const ofContact = await upload(acme, { lead_id: lead.id, contact_id: contact.id, outreach_channel: "email" });

  await acme.delete(`/contact/${contact.id}/`);

  const kept = await acme.get(`/file/${ofContact.id}/`);
  assert.deepEqual([kept.lead_id, kept.contact_id, kept.outreach_channel], [lead.id, null, null]);
  assert.equal((await acme.get(`/file/resolve/?channel=email&lead_id=${lead.id}`)).id, ofLead.id);
});

test("files follow a merge, and the destination's slots stay as they were", async () => {
  const acme = await organization();
  const [source, destination] = [await acme.lead(), await acme.lead()];
  const moved = await upload(acme, { lead_id: source.id, outreach_channel: "email" });
  const alone = await upload(acme, { lead_id: source.id, outreach_channel: "sms" });
  const present = await upload(acme, { lead_id: destination.id, outreach_channel: "email" });

  await acme.post("/lead/merge/", { source: source.id, destination: destination.id });

  const files = (await acme.get(`/file/?lead_id=${destination.id}`)).data;
  const channels = Object.fromEntries(files.map((one: any) => [one.id, one.outreach_channel]));
  assert.deepEqual(channels, { [moved.id]: null, [alone.id]: "sms", [present.id]: "email" });
  assert.equal((await acme.ask("GET", `/file/${moved.id}/download/`)).text, "%PDF-1.7\n%%EOF");
});

test("a subtype stays while any file has it, one of a lead that is not seen too", async () => {
  const acme = await organization();
  const subtype = await acme.post("/file_subtype/", { label: "Blueprint" });
  await upload(acme, { lead_id: (await acme.lead()).id, subtype: subtype.key });
  const customizer = await acme.memberWith(["manage_customizations"]);

  await customizer.refused(400, "DELETE", `/file_subtype/${subtype.id}/`);
});

test("a subtype may be for one type of file only", async () => {
  const acme = await organization();
  const made = await upload(acme, { subtype: "proposal" });

  assert.equal(made.subtype_label, "Proposal");
  await acme.refused(400, "PUT", `/file/${made.id}/`, { subtype: "signature_image" }, "subtype");
  await acme.refused(400, "PUT", `/file/${made.id}/`, { mime: "text/html" }, "mime");
  assert.equal((await acme.put(`/file/${made.id}/`, { subtype: null, name: "Other.pdf" })).subtype_label, null);
});

test("with Range a part of the bytes is answered", async () => {
  const acme = await organization();
  const { id } = await upload(acme, { name: "a.txt", content_base64: base64("0123456789") });
  const ask = async (range: string, headers = {}) => {
    const answer = await acme.ask("GET", `/file/${id}/download/`, { headers: { range, ...headers } });
    return [answer.status, answer.status === 416 ? null : answer.text, answer.headers.get("content-range")];
  };

  assert.deepEqual(await ask("bytes=2-4"), [206, "234", "bytes 2-4/10"]);
  assert.deepEqual(await ask("bytes=8-"), [206, "89", "bytes 8-9/10"]);
  assert.deepEqual(await ask("bytes=-3"), [206, "789", "bytes 7-9/10"]);
  assert.deepEqual(await ask("bytes=10-"), [416, null, "bytes */10"]);
  assert.deepEqual(await ask("bytes=0-1,4-5"), [200, "0123456789", null]);
  assert.deepEqual(await ask("bytes=0-1", { "if-range": '"other"' }), [200, "0123456789", null]);
});

test("who has the link has the file, until it is deleted", async () => {
  const acme = await organization();
  const { url } = await service();
  const made = await upload(acme, { name: "Plan für 2027.pdf" });
  const link = made.share_url.replace("http://localhost", url);

  const shown = await fetch(link);
  const encoded = await fetch(`${link}?format=base64`);

  assert.equal(shown.status, 200);
  assert.equal(await shown.text(), "%PDF-1.7\n%%EOF");
  assert.match(shown.headers.get("content-disposition")!, /^inline; .*filename\*=UTF-8''Plan%20f%C3%BCr%202027\.pdf$/);
  assert.equal(shown.headers.get("x-content-type-options"), "nosniff");
  assert.deepEqual(await encoded.json(), {
    name: "Plan für 2027.pdf",
    mime: "application/pdf",
    content_base64: base64("%PDF-1.7\n%%EOF"),
  });
  assert.equal((await fetch(link.replace(/\/f\/..../, "/f/____"))).status, 404);
  assert.equal((await fetch(link, { headers: { range: "bytes=0-3" } })).status, 206);

  await acme.delete(`/file/${made.id}/`);
  assert.equal((await fetch(link)).status, 404);
});

test("what could run in a browser is saved and never shown", async () => {
  const acme = await organization();
  const { url } = await service();

  for (const [mime, content] of [
    ["text/html", "<script>alert(1)</script>"],
    ["image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"],
  ]) {
    const made = await upload(acme, { name: "page", mime, content_base64: base64(content!) });
    const { headers } = await fetch(made.share_url.replace("http://localhost", url));
    assert.match(headers.get("content-disposition")!, /^attachment/);
    assert.match(headers.get("content-security-policy")!, /sandbox/);
  }
});

test("bytes go with their file, whatever takes it away", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const single = await upload(acme);
  await upload(acme, { lead_id: lead.id });
  const kept = await upload(acme);
  assert.equal((await storedBytes(acme)).length, 3);

  await acme.delete(`/file/${single.id}/`);
  await acme.delete(`/lead/${lead.id}/`);
  await sweep();

  assert.equal((await storedBytes(acme)).length, 1);
  assert.equal((await acme.ask("GET", `/file/${kept.id}/download/`)).status, 200);
});

test("bytes that cannot be removed keep no others there", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  for (let i = 0; i < 3; i++) await upload(acme, { lead_id: lead.id });
  const [stuck] = await storedBytes(acme);
  const place = join((await service()).filesDir, "kept", acme.id, stuck!);
  rmSync(place);
  mkdirSync(place);

  await acme.delete(`/lead/${lead.id}/`);
  await sweep().catch(() => {});

  assert.deepEqual(await storedBytes(acme), [stuck]);
});

test("an organization's files go with it", async () => {
  const acme = await organization();
  const second = await acme.post("/organization/", { name: "Second" });
  const { Workspace: Member } = await import("../../../test/support/given.ts");
  const there = new Member(await service(), second.api_key, second.id, acme.userId);
  await upload(there);
  assert.equal((await storedBytes(there)).length, 1);

  await there.delete(`/organization/${second.id}/`);
  await withWorker(there.service, (worker) => worker.drained(), { does: { works: [erasure], consumers: [], timers: [] } });
  await sweep();

  assert.deepEqual(await storedBytes(there), []);
});

test("a file of a lead one may not see is nobody's", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const hidden = await upload(acme, { lead_id: lead.id, outreach_channel: "email" });
  const agent = await acme.member("restricteduser");

  await agent.refused(404, "GET", `/file/${hidden.id}/`);
  await agent.refused(404, "GET", `/file/${hidden.id}/download/`);
  await agent.refused(400, "GET", `/file/resolve/?channel=email&lead_id=${lead.id}`, undefined, "lead_id");
  await agent.refused(400, "POST", "/file/", { content_base64: "eA==", lead_id: lead.id }, "lead_id");
});

test("a stored file is attached by its id, with its link, name, type and size", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const made = await upload(acme);

  const note = await acme.note({ lead_id: lead.id, attachments: [{ file_id: made.id }] });
  const again = await acme.put(`/activity/note/${note.id}/`, {
    attachments: [...note.attachments, { url: "https://example.com/b" }],
  });

  const { url, filename, content_type, size, file_id } = note.attachments[0];
  assert.deepEqual(
    [url, filename, content_type, size, file_id],
    [made.share_url, "proposal.pdf", "application/pdf", 14, made.id],
  );
  assert.deepEqual(again.attachments[0], note.attachments[0]);
  const text = await upload(acme, { mime: "text/html", content_base64: base64("<p>") });
  const sms = { lead_id: lead.id, text: "See", attachments: [{ file_id: text.id }] };
  await acme.refused(400, "POST", "/activity/sms/", sms, "attachments.0.content_type");
});

test("the requests of docs/files.md get the documented responses", async () => {
  const acme = await organization();
  const guide = readFileSync(new URL("../../../docs/files.md", import.meta.url), "utf8");
  const requests = [...guide.matchAll(/<!-- request -->\n```\n(\w+) (\S+)\n([^`]*)```/g)];

  assert.equal(requests.length, 4);
  for (const [, method, path, body] of requests) {
    const answer = await acme.ask(method!, path!, body === "" ? {} : { raw: body });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  }
});
