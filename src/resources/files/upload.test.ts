// The three ways to upload bytes: what they accept, what they refuse, and what an interrupted upload leaves behind.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import http from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { type Measured, measuredService } from "../../../test/support/measured_service.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import { type Service, service, startService } from "../../../test/support/service.ts";

const max = 20 * 1024 * 1024;
const base64 = (content: string | Buffer) => Buffer.from(content).toString("base64");

const authorization = (ws: Workspace) => `Basic ${Buffer.from(`${ws.key}:`).toString("base64")}`;

/** As a browser sends it. */
async function sendForm(
  ws: Workspace,
  form: FormData,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: any; headers: Headers }> {
  const answer = await fetch(`${ws.service.url}/api/v1/file/`, {
    method: "POST",
    headers: { authorization: authorization(ws), ...headers },
    body: form,
  });
  return { status: answer.status, body: await answer.json(), headers: answer.headers };
}

function formOf(content: string | Buffer, name: string, fields: Record<string, string> = {}, type = ""): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set("file", new Blob([content as Buffer<ArrayBuffer>], { type }), name);
  return form;
}

const bytesOf = async (ws: Workspace, id: string): Promise<Buffer> => {
  const answer = await fetch(`${ws.service.url}/api/v1/file/${id}/download/`, { headers: { authorization: authorization(ws) } });
  return Buffer.from(await answer.arrayBuffer());
};

/** The stored bytes of an organization, and the temporary files on their way there. */
const lying = (ws: Workspace): string[] => {
  const names = (...path: string[]) => {
    try {
      return readdirSync(join(ws.service.filesDir, ...path));
    } catch {
      return [];
    }
  };
  return [...names("kept", ws.id), ...names("incoming")];
};

async function settled(ws: Workspace): Promise<void> {
  for (let tries = 0; tries < 1000 && lying(ws).length > 0; tries++) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Another server, and a service that may reach it although it is on this machine. */
let reached: Promise<{ there: string; answers: http.RequestListener[]; ours: Service; close(): Promise<void> }> | null = null;

after(async () => (await reached)?.close());

async function elsewhere() {
  reached ??= (async () => {
    const answers: http.RequestListener[] = [];
    const server = http.createServer((request, response) => answers[0]!(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const ours = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } });
    const close = async () => {
      server.closeAllConnections();
      server.close();
      await ours.close();
    };
    return { there: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers, ours, close };
  })();
  const found = await reached;
  return { ...found, answering: (answer: http.RequestListener) => (found.answers[0] = answer) };
}

test("a form contains the file and its properties", async () => {
  const acme = await organization();
  const lead = await acme.lead();

  const { status, body, headers } = await sendForm(
    acme,
    formOf("a,b\n1,2\n", "Preise.csv", { lead_id: lead.id, subtype: "pricing" }),
  );

  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(headers.get("location"), `/api/v1/file/${body.id}/`);
  assert.equal(body.name, "Preise.csv");
  assert.equal(body.lead_id, lead.id);
  assert.equal(body.subtype, "pricing");
  assert.equal((await bytesOf(acme, body.id)).toString(), "a,b\n1,2\n");
});

test("a name of letters from everywhere comes through a form as it is", async () => {
  const acme = await organization();

  const { body } = await sendForm(acme, formOf("x", "契約書 – Zürich.txt"));

  assert.equal(body.name, "契約書 – Zürich.txt");
});

test("base64 in JSON may be written with escapes and line breaks, and its field may stand anywhere", async () => {
  const acme = await organization();
  const bytes = Buffer.from([0xfb, 0xff, 0xfe, 0x3f, 0xff, 0x00, 0x41]);
  const text = base64(bytes);
  const escaped = text.replaceAll("/", "\\/").replaceAll("+", "\\u002b");

  for (const raw of [
    `{"content_base64":"${text}","name":"a.bin"}`,
    `{"name":"a.bin","content_base64" : "${escaped}"}`,
    `{"name":"a.bin","content\\u005fbase64":"${text.slice(0, 4)}\\r\\n${text.slice(4)}"}`,
  ]) {
    const { status, body } = await acme.ask("POST", "/file/", { raw });
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(body.name, "a.bin");
    assert.deepEqual(await bytesOf(acme, body.id), bytes);
  }
});

test("JSON that is none is refused wherever it breaks", async () => {
  const acme = await organization();

  for (const raw of [
    '{"content_base64":"eA==',
    '{"content_base64":"eA=="',
    '{"content_base64":"eA==","name":}',
    '{"content_base64":"eA==","content_base64":"eA=="}',
    '{"content_base64":"eA\\',
    '{"content_base64":"\\q"}',
    '["content_base64":"eA=="]',
    '{"content_base64":12}',
    `{"content_base64":"eA==","name":"${"x".repeat(1024 * 1024)}"}`,
  ]) {
    const answer = await acme.ask("POST", "/file/", { raw });
    assert.equal(answer.status, 400, raw.slice(0, 60));
  }
  await settled(acme);
  assert.deepEqual(lying(acme), []);
});

test("exactly 20 MB are taken as a form, as base64 and from an address; one byte more is refused by its name", async () => {
  const { there, answering, ours } = await elsewhere();
  const acme = await organization(ours);
  const full = Buffer.alloc(max, "0123456789abcdef");
  const over = Buffer.alloc(max + 1, "0123456789abcdef");

  for (const [bytes, status] of [
    [full, 201],
    [over, 400],
  ] as const) {
    const form = await sendForm(acme, formOf(bytes, "a.bin"));
    const json = await acme.ask("POST", "/file/", { raw: `{"name":"a.bin","content_base64":"${base64(bytes)}"}` });
    answering((_request, response) => void response.end(bytes));
    const fetched = await acme.ask("POST", "/file/", { body: { content_url: `${there}/a.bin` } });
    // Without a content length.
    answering((_request, response) => void response.writeHead(200, { "transfer-encoding": "chunked" }).end(bytes));
    const chunked = await acme.ask("POST", "/file/", { body: { content_url: `${there}/a.bin` } });

    const answers = { file: form, content_base64: json, content_url: fetched, chunked };
    for (const [way, answer] of Object.entries(answers)) {
      assert.equal(answer.status, status, `${way}: ${JSON.stringify(answer.body)}`);
      if (status === 201) assert.equal(answer.body.size, max);
      else assert.deepEqual(Object.keys(answer.body["field-errors"]), [way === "chunked" ? "content_url" : way]);
    }
  }
});

test("twenty uploads of 20 MB at once take a fraction of their 400 MB, whichever way they come", async (t) => {
  const measured = await measuredService({ OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" });
  t.after(measured.stop);
  const piece = Buffer.alloc(60 * 1024, "0123456789abcdef");
  const source = http.createServer((request, response) => void pour(response, piece, Number(request.url!.slice(1))));
  await new Promise<void>((resolve) => source.listen(0, "127.0.0.1", resolve));
  t.after(() => source.close().closeAllConnections());
  const there = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
  const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
  const ways: Record<string, (pieces: number) => Promise<number>> = {
    form: (pieces) => send(measured, "multipart/form-data; boundary=x", head, piece, pieces, "\r\n--x--\r\n"),
    base64: (pieces) => send(measured, "application/json", '{"content_base64":"', Buffer.from(base64(piece)), pieces, '"}'),
    url: (pieces) => send(measured, "application/json", `{"content_url":"${there}/${pieces}"}`, piece, 0, ""),
  };
  const twenty = (one: (pieces: number) => Promise<number>, bytes: number) =>
    Promise.all(Array.from({ length: 20 }, () => one(Math.floor(bytes / piece.length))));

  for (const [way, one] of Object.entries(ways)) {
    // The process keeps the memory of the first upload.
    await twenty(one, 1024 * 1024);

    const raised = await measured.raisedBy(async () => {
      assert.deepEqual(new Set(await twenty(one, max)), new Set([201]), way);
    });

    // It is 5 to 60 MB. The machine decides how soon memory is returned.
    assert.ok(raised < 160, `${way}: ${raised.toFixed()} MB`);
  }
});

/** Sends `each` this many times between `first` and `last`, as fast as it is accepted. Returns the status. */
function send({ url, key }: Measured, type: string, first: string, each: Buffer, pieces: number, last: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
      "content-type": type,
      "content-length": first.length + pieces * each.length + last.length,
    };
    const request = http.request(`${url}/api/v1/file/`, { method: "POST", headers }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode!));
    });
    request.on("error", reject).write(first);
    void pour(request, each, pieces, last);
  });
}

async function pour(into: http.OutgoingMessage, piece: Buffer, pieces: number, last = ""): Promise<void> {
  for (let i = 0; i < pieces; i++) if (!into.write(piece)) await new Promise((resolve) => into.once("drain", resolve));
  into.end(last);
}

test("an upload that ends half way leaves nothing", async () => {
  const acme = await organization();
  const { url } = await service();
  const { port } = new URL(url);
  const half = async (type: string, begin: string) => {
    const request = http.request({ port, host: "127.0.0.1", method: "POST", path: "/api/v1/file/" });
    request.on("error", () => {});
    request.setHeader("authorization", authorization(acme));
    request.setHeader("content-type", type);
    request.setHeader("content-length", 1_000_000);
    request.write(begin + "A".repeat(400_000));
    await new Promise((resolve) => setTimeout(resolve, 150));
    request.destroy();
  };

  await half("application/json", '{"content_base64":"');
  await half("multipart/form-data; boundary=x", '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n');

  await settled(acme);
  assert.deepEqual((await acme.get("/file/")).data, []);
  assert.deepEqual(lying(acme), []);
});

test("a form that is cut off, without a file or with two is refused", async () => {
  const acme = await organization();
  const type = { "content-type": "multipart/form-data; boundary=x" };
  const ask = async (raw: string) => acme.ask("POST", "/file/", { raw, headers: type });
  const part = (name: string, more = "") => `--x\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\nabc\r\n`;

  assert.equal((await ask(`${part("file", '; filename="a"')}--x`)).status, 400);
  assert.ok("file" in (await ask(`${part("name")}--x--\r\n`)).body["field-errors"]);
  assert.ok("file" in (await ask(`${part("file")}${part("file")}--x--\r\n`)).body["field-errors"]);
  assert.ok("photo" in (await ask(`${part("photo", '; filename="a"')}--x--\r\n`)).body["field-errors"]);
  assert.ok("file" in (await ask(`${part("file")}${part("content_base64")}--x--\r\n`)).body["field-errors"]);
  assert.equal((await acme.ask("POST", "/file/", { raw: "x", headers: { "content-type": "multipart/form-data" } })).status, 400);
  assert.equal((await acme.ask("POST", "/file/", { raw: "x", headers: { "content-type": "text/plain" } })).status, 400);

  await settled(acme);
  assert.deepEqual(lying(acme), []);
});

test("after a form that is refused half way, the connection serves the next request", async () => {
  const acme = await organization();
  const part = (bytes: number) =>
    `--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${"a".repeat(bytes)}\r\n`;
  const form = `${part(1)}${part(4 * 1024 ** 2)}--x--\r\n`;
  const headers = (more: string) => `host: x\r\nauthorization: ${authorization(acme)}\r\n${more}\r\n`;
  const socket = connect(Number(new URL(acme.service.url).port), "127.0.0.1");

  socket.write(
    `POST /api/v1/file/ HTTP/1.1\r\n${headers(`content-type: multipart/form-data; boundary=x\r\ncontent-length: ${form.length}\r\n`)}`,
  );
  socket.write(form);
  socket.write(`GET /api/v1/lead/ HTTP/1.1\r\n${headers("connection: close\r\n")}`);

  const answers = (await text(socket)).matchAll(/HTTP\/1\.1 (\d+)/g);
  assert.deepEqual(
    Array.from(answers, ([, status]) => status),
    ["400", "200"],
  );
});

test("who may not upload is refused before a byte is read", async () => {
  const acme = await organization();
  const { url } = await service();

  const answer = await fetch(`${url}/api/v1/file/`, { method: "POST", body: formOf("x", "a") });
  const large = await fetch(`${url}/api/v1/file/`, { method: "POST", body: Buffer.alloc(1024 * 1024) });

  assert.equal(answer.status, 401);
  assert.equal(large.status, 401);
  assert.deepEqual(lying(acme), []);
});

test("an upload sent again under the same Idempotency-Key is one file", async () => {
  const acme = await organization();
  const key = { "idempotency-key": "once" };

  const first = await sendForm(acme, formOf("same", "a.txt"), key);
  const again = await sendForm(acme, formOf("same", "a.txt"), key);
  const other = await sendForm(acme, formOf("other", "a.txt"), key);

  assert.equal(again.body.id, first.body.id);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  assert.equal(other.status, 422);
  assert.equal((await acme.get("/file/")).data.length, 1);
  assert.equal(lying(acme).length, 1);
});

test("an address brings its bytes, its name and its type", async () => {
  const { there, answering, ours } = await elsewhere();
  const acme = await organization(ours);
  answering((request, response) => {
    if (request.url === "/moved") return void response.writeHead(302, { location: "/files/Our%20offer.pdf?x=1" }).end();
    response.writeHead(200, { "content-type": "application/pdf; charset=binary" }).end("%PDF-1.4");
  });

  const made = await acme.post("/file/", { content_url: `${there}/moved` });

  assert.equal(made.name, "Our offer.pdf");
  assert.equal(made.mime, "application/pdf");
  assert.equal((await bytesOf(acme, made.id)).toString(), "%PDF-1.4");
});

test("a dry run fetches no address, as nothing leaves", async () => {
  const { there, answering, ours } = await elsewhere();
  const acme = await organization(ours);
  let asked = 0;
  answering((_request, response) => void response.end(`${(asked += 1)}`));

  await acme.refused(400, "POST", "/file/?dry_run=true", { content_url: `${there}/a.bin` }, "content_url");
  await acme.refused(400, "POST", "/import/?dry_run=true", { content_url: `${there}/a.csv` }, "content_url");
  await acme.post("/file/?dry_run=true", { name: "a.bin", content_base64: "aGVsbG8=" });

  assert.equal(asked, 0);
});

test("what an address calls its file goes before the address, what the caller calls it before both", async () => {
  const { there, answering, ours } = await elsewhere();
  const acme = await organization(ours);
  const fetched = (headers: Record<string, string>, body: object = {}) => {
    answering((_request, response) => void response.writeHead(200, { "content-type": "text/csv", ...headers }).end("a,b"));
    return acme.ask("POST", "/file/", { body: { content_url: `${there}/download.php?id=7`, ...body } });
  };
  const nameOf = async (disposition: string, body?: object) =>
    (await fetched({ "content-disposition": disposition }, body)).body.name;

  assert.equal(await nameOf('attachment; filename="leads.csv"'), "leads.csv");
  assert.equal(await nameOf("inline; filename=leads.csv; size=3"), "leads.csv");
  assert.equal(await nameOf("attachment; filename=\"x.csv\"; filename*=UTF-8''F%C3%BChrung.csv"), "Führung.csv");
  assert.equal(await nameOf(Buffer.from('attachment; filename="Führung.csv"').toString("latin1")), "Führung.csv");
  assert.equal(await nameOf('attachment; filename="..\\\\..\\\\etc/passwd"'), "passwd");
  assert.equal(await nameOf('attachment; filename=""'), "download.php");
  assert.equal(await nameOf("attachment"), "download.php");
  assert.equal(await nameOf('attachment; filename="leads.csv"', { name: "Mine.csv" }), "Mine.csv");

  const said = await fetched({}, { mime: "text/tab-separated-values" });
  const lied = await fetched({}, { mime: "image/png" });
  assert.deepEqual([said.body.mime, said.headers.get("x-ignored-fields")], ["text/tab-separated-values", null]);
  assert.deepEqual([lied.body.mime, lied.headers.get("x-ignored-fields")], ["text/csv", "mime"]);
});

test("an address that fails, leads astray or ends half way is refused in the same words, and leaves nothing", async () => {
  const { there, answering, ours } = await elsewhere();
  const acme = await organization(ours);
  const reasons = new Set<string>();
  const refuse = async (content_url: string) => {
    const refusal = await acme.refused(400, "POST", "/file/", { content_url }, "content_url");
    reasons.add(refusal["field-errors"].content_url);
  };

  answering((request, response) => {
    const path = request.url!;
    if (path === "/missing") return void response.writeHead(404).end();
    if (path === "/endless") return void response.writeHead(302, { location: "/endless" }).end();
    if (path === "/private") return void response.writeHead(302, { location: "http://10.0.0.1/" }).end();
    if (path === "/file") return void response.writeHead(302, { location: "file:///etc/passwd" }).end();
    response.writeHead(200, { "content-length": "1000" }).write("half");
    setTimeout(() => response.destroy(), 20);
  });
  for (const path of ["/missing", "/endless", "/private", "/file", "/half"]) await refuse(there + path);
  await refuse("http://127.0.0.1:1/");
  await refuse(there.replace("http://", "http://user:secret@"));
  await refuse("ftp://example.com/a");
  await refuse("not an address");

  assert.equal(reasons.size, 1, [...reasons].join("; "));
  assert.deepEqual(lying(acme), []);
});

test("no address of the operator's own network is asked, in whatever spelling", async () => {
  const acme = await organization();
  let asked = 0;
  const server = http.createServer((_request, response) => {
    asked++;
    response.end("secret");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const reasons = new Set<string>();

  for (const host of [
    "127.0.0.1",
    "localhost",
    "2130706433",
    "0x7f.1",
    "127.1",
    "017700000001",
    "0",
    "[::1]",
    "[::ffff:127.0.0.1]",
  ]) {
    const refusal = await acme.refused(400, "POST", "/file/", { content_url: `http://${host}:${port}/` }, "content_url");
    reasons.add(refusal["field-errors"].content_url);
  }
  server.close();

  assert.equal(asked, 0);
  assert.equal(reasons.size, 1);
});

test("who leaves takes what is fetched for them along", async () => {
  const acme = await organization(await outboundService());
  const asked = Promise.withResolvers<http.ServerResponse>();
  const there = http.createServer((_request, response) => {
    response.writeHead(200).write("a");
    asked.resolve(response);
  });
  await new Promise<void>((resolve) => there.listen(0, "127.0.0.1", resolve));
  const { port } = there.address() as AddressInfo;
  const leaving = new AbortController();

  const upload = fetch(`${acme.service.url}/api/v1/file/`, {
    method: "POST",
    signal: leaving.signal,
    headers: { authorization: authorization(acme), "content-type": "application/json" },
    body: JSON.stringify({ content_url: `http://127.0.0.1:${port}/slow` }),
  });
  const answer = await asked.promise;
  const isCutOff = new Promise((resolve) => answer.once("close", resolve));
  leaving.abort();

  await assert.rejects(upload);
  await isCutOff;
  there.close();
});
