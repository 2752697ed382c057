import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { textOfPdf } from "../../../test/support/pdf.ts";
import { png } from "../../../test/support/picture.ts";

const upload = (ws: Workspace, bytes: Buffer, more: object = {}): Promise<any> =>
  ws.post("/file/", { name: "logo.png", content_base64: bytes.toString("base64"), ...more });
const brand = (ws: Workspace, branding: object | null) =>
  ws.ask("PUT", `/organization/${ws.id}/`, { body: { settings: { branding } } });

async function quotePage(ws: Workspace): Promise<{ text: string; policy: string; pdf: Buffer }> {
  const lead = await ws.lead();
  const { id } = await ws.post("/quote/", { lead_id: lead.id, line_items: [{ name: "Seat", unit_price: 1000 }] });
  const { public_url } = await ws.put(`/quote/${id}/`, { status: "open" });
  const address = public_url.replace("http://localhost", ws.service.url);
  const page = await fetch(address);
  const pdf = Buffer.from(await (await fetch(`${address}pdf/`)).arrayBuffer());
  return { text: await page.text(), policy: page.headers.get("content-security-policy")!, pdf };
}

test("customers read the name and address of the seller and see the logo, on the page and on paper", async () => {
  const acme = await organization();
  const plain = await quotePage(acme);
  const logo = await upload(acme, png());

  const answer = await brand(acme, {
    name: "Harbor Furniture GmbH",
    address: "Lange Straße 12\n20457 Hamburg",
    logo_file_id: logo.id,
  });

  const shown = await quotePage(acme);
  assert.equal(answer.status, 200);
  for (const words of ["Harbor Furniture GmbH", "Lange Straße 12", "20457 Hamburg"]) {
    assert.ok(shown.text.includes(words) && textOfPdf(shown.pdf).includes(words), words);
    assert.ok(!plain.text.includes(words));
  }
  const [, bytes] = /src="data:image\/png;base64,([^"]+)"/.exec(shown.text)!;
  assert.deepEqual(Buffer.from(bytes!, "base64"), png());
  assert.ok(shown.pdf.includes("/Subtype /Image") && !plain.pdf.includes("/Subtype /Image"));
  assert.match(shown.policy, /^default-src 'none'; .*; img-src data:$/);
  assert.ok(!plain.policy.includes("img-src"));
  const [event] = (await acme.events(acme.id)).filter((one) => one.event === "organization.updated");
  assert.ok(event.changed_fields.includes("settings"));
});

test("who may not manage the organization cannot change how it shows itself", async () => {
  const acme = await organization();
  const user = await acme.member();

  const refused = await user.ask("PUT", `/organization/${acme.id}/`, { body: { settings: { branding: { name: "Mine" } } } });

  assert.equal(refused.status, 403);
});

test("only a picture that was checked to its last byte becomes the logo", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const other = await organization();
  const text = await acme.post("/file/", { name: "logo.png", content_base64: Buffer.from("no picture").toString("base64") });
  const svg = await acme.post("/file/", {
    name: "logo.svg",
    content_base64: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>').toString("base64"),
  });
  // A length of a chunk that leads back to its own beginning.
  const looping = Buffer.concat([png().subarray(0, 33), Buffer.from("fffffff4", "hex"), png().subarray(37)]);
  const bad: [string, any, RegExp][] = [
    ["unknown", { id: "file_nothing" }, /does not exist/],
    ["of another workspace", await upload(other, png()), /does not exist/],
    ["of a lead", await upload(acme, png(), { lead_id: lead.id }), /whole workspace/],
    ["a text", text, /PNG or JPEG/],
    ["SVG", svg, /PNG or JPEG/],
    ["too many pixels", await upload(acme, png({ width: 2000, height: 1000 })), /1.5 million pixels/],
    ["too few bytes", await upload(acme, png({ missing: 1 })), /cannot be read/],
    ["no rows", await upload(acme, png({ filter: 9 })), /cannot be read/],
    ["cut off", await upload(acme, png().subarray(0, 80)), /cannot be read/],
    ["a loop", await upload(acme, looping), /cannot be read|PNG or JPEG/],
  ];

  for (const [what, { id }, reason] of bad) {
    const { status, body } = await brand(acme, { logo_file_id: id });
    assert.equal(status, 400, what);
    assert.match(body["field-errors"]["settings.branding.logo_file_id"], reason, what);
  }
  for (const branding of [{ nmae: "x" }, { name: "" }, { name: "x".repeat(256) }, { address: "x".repeat(1001) }, "Acme"])
    assert.equal((await brand(acme, branding as object)).status, 400, JSON.stringify(branding));
  for (const color of [2, 6] as const)
    assert.equal((await brand(acme, { logo_file_id: (await upload(acme, png({ color }))).id })).status, 200);
});

test("a logo whose file was deleted is left out, and null takes each part away", async () => {
  const acme = await organization();
  const logo = await upload(acme, png());
  await brand(acme, { name: "Harbor Furniture", logo_file_id: logo.id });

  await acme.delete(`/file/${logo.id}/`);
  const without = await quotePage(acme);
  await brand(acme, { name: null });
  const plain = await quotePage(acme);

  assert.ok(without.text.includes("Harbor Furniture") && !without.text.includes("<img"));
  assert.ok(!plain.text.includes("Harbor Furniture"));
});
