// A person's name in every place that can hold words: after the erasing it is nowhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { erase, placesWith } from "../../../test/support/erasing.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { collectionPath, createdResources, fullRecord, sampleRecord } from "../../../test/support/samples.ts";
import { withWorker } from "../../../test/support/worker.ts";
import type { Resource } from "../../core/resource.ts";

const name = "Ottoline Brackenthwaite";

/** The value with the name in its texts, in all of them or in the nth alone. */
function naming(value: unknown, only?: number): unknown {
  let n = 0;
  const named = (one: unknown): unknown => {
    if (typeof one === "string") return only === undefined || only === n++ ? `${one} ${name}` : one;
    if (Array.isArray(one)) return one.map(named);
    if (one === null || typeof one !== "object") return one;
    return Object.fromEntries(Object.entries(one).map(([key, each]) => [key, named(each)]));
  };
  return named(value);
}

const n_texts = (value: unknown): number => (JSON.stringify(value).match(/"(?:[^"\\]|\\.)*"(?!:)/g) ?? []).length;

/** Writes the name into each field of a record that takes it. Returns into how many. */
async function nameIn(ws: Workspace, of: Resource): Promise<number> {
  const path = await collectionPath(ws, of);
  const made = await fullRecord(ws, of, path).catch(() => sampleRecord(ws, of));
  let named = 0;
  for (const [key, { type, mode, hidden, ref }] of of.columns) {
    if (mode !== "write" || hidden || ref || !["text", "texts", "json"].includes(type)) continue;
    const value = made[key] ?? (type === "text" ? "" : null);
    const bodies = [naming(value), ...Array.from({ length: Math.min(n_texts(value), 12) }, (_, i) => naming(value, i))];
    for (const body of bodies) {
      if (JSON.stringify(body) === JSON.stringify(value)) continue;
      const { status } = await ws.ask("PUT", `${path}${made.id}/`, { body: { [key]: body } });
      if (status !== 200) continue;
      named++;
      break;
    }
  }
  return named;
}

test("a person who is named in every field that takes words is nowhere afterwards", async () => {
  const acme = await organization();
  const named = new Map<string, number>();
  for (const of of createdResources(acme.service.app.core.registry.operations)) named.set(of.name, await nameIn(acme, of));
  assert.ok(named.get("automations")! >= 4, "also in the steps of automations with a graph");
  assert.ok([...named.values()].reduce((sum, n) => sum + n) > 100);
  const person = await acme.contact({ name });

  const { status } = await erase(acme, person.id);

  assert.equal(status, "completed");
  assert.deepEqual(await placesWith(acme, ["brackenthwaite", "ottoline"]), []);
});

const base64 = (text: string) => Buffer.from(text).toString("base64");

test("a person is found as files, lists, quoted mails and HTML write them", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Neutral Co" });
  const lead_id = lead.id;
  const person = await acme.contact({
    name,
    emails: [{ email: "otto.b@old.example" }],
    phones: [{ phone: "+14155550188" }],
  });
  const notes = [
    { note: "met Ottoline\nBrackenthwaite" },
    {
      note_html:
        "<p>Ottoline <b>Brackenthwaite</b>, <i>Ottoline</i> <i>Brackenthwaite</i>, Ottoline Bracken<b>thwaite</b>, +1&nbsp;415&nbsp;555&nbsp;0188</p>",
    },
    { note: "On Monday Brackenthwaite, Ottoline wrote" },
    { note: "Ottoline-Brackenthwaite, ottoline_brackenthwaite, Ottoline\u200bBrackenthwaite" },
    { note: "Hello,\nOttoline Brackenthwaite\notto.b@old.example\n415.555.0188" },
  ];
  for (const each of notes) await acme.note({ lead_id, ...each });
  await acme.post("/activity/email/", {
    lead_id,
    status: "inbox",
    direction: "incoming",
    sender: "bob@fairs.example",
    subject: "Re: x",
    body_text: "> On Monday Ottoline\n> Brackenthwaite wrote",
    attachments: [],
  });
  await acme.post("/activity/channel_message/", {
    lead_id,
    channel: "whatsapp",
    direction: "incoming",
    status: "inbox",
    text: "hi",
    remote_handle: "ottoline.brackenthwaite",
  });
  const file = { lead_id, content_base64: base64("of somebody") };
  const cv = await acme.post("/file/", { ...file, name: "Ottoline Brackenthwaite.pdf" });
  await acme.post("/file/", { ...file, name: "cv_ottoline_brackenthwaite.txt" });
  await acme.post("/file/", { lead_id, name: "list.txt", content_base64: base64("7;Brackenthwaite;Ottoline\n") });

  const { status } = await erase(acme, person.id);

  assert.equal(status, "completed");
  assert.deepEqual(
    await placesWith(acme, ["brackenthwaite", "ottoline", "thwaite", "otto.b@", "5550188", "555.0188", "555&nbsp;0188"]),
    [],
  );
  await acme.refused(404, "GET", `/file/${cv.id}/`);
  assert.equal((await acme.get("/lead/?query=Brackenthwaite")).data.length, 0);
  assert.equal((await acme.get("/activity/note/")).data.length, notes.length);
});

/** A quote of a lead of others that names the person in three places, sent and, if asked for, signed. */
async function quoteNaming(ws: Workspace, lead_id: string, isSigned = false) {
  const { id } = await ws.post("/quote/", {
    lead_id,
    title: `Offer c/o ${name}`,
    header: `Dear ${name},`,
    line_items: [{ name: `Seat for ${name}`, unit_price: 100 }],
  });
  const { public_url } = await ws.put(`/quote/${id}/`, { status: "open" });
  if (isSigned) await ws.put(`/quote/${id}/`, { status: "accepted" });
  await withWorker(ws.service, (worker) => worker.drained());
  return { ...(await ws.get(`/quote/${id}/`)), page: public_url.replace("http://localhost", ws.service.url) as string };
}

test("the PDF of a quote that names the person is removed, and its link answers one made anew", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Neutral Co" });
  const [open, signed] = [await quoteNaming(acme, lead.id), await quoteNaming(acme, lead.id, true)];
  const revised = await quoteNaming(acme, lead.id);
  await acme.put(`/quote/${revised.id}/`, { status: "draft" });
  await acme.put(`/quote/${revised.id}/`, { title: "Offer", header: "Hello", line_items: [{ name: "Seat", unit_price: 100 }] });
  const other = await acme.post("/quote/", { lead_id: lead.id, line_items: [{ name: "Seat", unit_price: 100 }] });
  const { file_id } = await acme.put(`/quote/${other.id}/`, { status: "open" });
  const person = await acme.contact({ name });

  const { status } = await erase(acme, person.id);

  assert.equal(status, "completed");
  for (const id of [open.file_id, signed.file_id, signed.signed_file_id, revised.file_id])
    await acme.refused(404, "GET", `/file/${id}/`);
  await acme.get(`/file/${file_id}/`);
  for (const { page } of [open, signed]) {
    const pdf = await fetch(`${page}pdf/`);
    assert.deepEqual([pdf.status, pdf.headers.get("content-type")], [200, "application/pdf"]);
    assert.ok(!/Ottoline|Brackenthwaite/.test(Buffer.from(await pdf.arrayBuffer()).toString("latin1")));
  }
  assert.equal((await acme.get(`/quote/${signed.id}/`)).status, "accepted");
});

test("signed quotes can be kept with other files, and the receipt lists them", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Neutral Co" });
  const signed = await quoteNaming(acme, lead.id, true);
  const person = await acme.contact({ name });

  const { receipt } = await erase(acme, person.id, { keep_files: true });

  assert.deepEqual(receipt.kept_file_ids.sort(), [signed.file_id, signed.signed_file_id].sort());
  await acme.get(`/file/${signed.signed_file_id}/`);
  assert.equal((await fetch(`${signed.page}pdf/`)).status, 200);
});
