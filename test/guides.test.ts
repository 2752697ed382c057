// Follows the guides to the letter.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connecting, open, press } from "./support/connecting.ts";
import { calendarsOf } from "./support/following.ts";
import { organization, type Workspace } from "./support/given.ts";
import { imapServer } from "./support/imap.ts";
import { letter } from "./support/letters.ts";
import { brevo } from "./support/mailing_platforms.ts";
import { ann } from "./support/oauth_provider.ts";
import { outboundService } from "./support/outbound.ts";
import { ada, startPeopleDataLabs } from "./support/people_data_labs.ts";
import { startMailServer } from "./support/smtp.ts";
import { startTwilio, type TwilioServer } from "./support/twilio.ts";
import { acmePage, website } from "./support/website.ts";
import { withWorker } from "./support/worker.ts";

const root = new URL("..", import.meta.url).pathname;

test("who follows docs/adding-a-resource.md has a resource that keeps every promise of the others", () => {
  const { status, stdout } = inCopy((copy) => {
    followGuide(copy, "docs/adding-a-resource.md");
    const index = "export const operations: readonly Operation[] = [";
    change(join(copy, "src/resources/index.ts"), 'import { branches } from "./branches/index.ts";', index, "...branches, ");
    return runTests(copy, [
      "--test-name-pattern=branch|column of the right type|composite keys|tenant table",
      "test/contract/verbs.test.ts",
      "test/contract/lists.test.ts",
      "test/contract/description.test.ts",
      "test/contract/search.test.ts",
    ]);
  });

  assert.equal(status, 0, stdout);
  assert.match(stdout, /the list of branch/);
  assert.match(stdout, /records of branch are found by their words/);
});

test("who follows docs/adding-a-job.md has a consumer, a chunked job and a timer that work", () => {
  const { status, stdout } = inCopy((copy) => {
    const line = /`(onDue\(.*?\),)`/.exec(followGuide(copy, "docs/adding-a-job.md"))![1]!;
    const background = join(copy, "src/resources/background.ts");
    change(background, 'import { goneMembers, handover } from "./tasks/handover.ts";', "works: [", "handover, ");
    change(background, "", "consumers: [", "goneMembers, ");
    const timers = "export const timers: readonly Timer[] = [";
    change(join(copy, "src/resources/timers.ts"), 'import { recentlyGone } from "./tasks/handover.ts";', timers, line);
    return runTests(copy, ["src/resources/tasks/handover.test.ts"]);
  });

  assert.equal(status, 0, stdout);
  assert.match(stdout, /the open tasks of a member who leaves are urgent/);
});

/** Runs `work` in a copy of the repository. */
function inCopy<T>(work: (copy: string) => T): T {
  const copy = mkdtempSync(join(tmpdir(), "headwater-guide-"));
  try {
    for (const part of ["src", "test", "migrations", "scripts", "generated", "package.json", "tsconfig.json"])
      cpSync(join(root, part), join(copy, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    return work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Statements about the tables that a guide adds are not recorded, because this run does not know the tables. */
const runTests = (copy: string, given: readonly string[]) =>
  spawnSync(process.execPath, ["--test", "--test-isolation=none", ...given], {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, TEST_STATEMENTS: undefined },
  });

/** Adds an import at the top of a file, and code after a place in it. */
function change(path: string, imported: string, behind: string, added: string): void {
  const present = readFileSync(path, "utf8");
  assert.ok(present.includes(behind), `${path} has ${behind}`);
  writeFileSync(path, `${imported}\n${present.replace(behind, `${behind}${added}`)}`);
}

/** Writes the files of a guide, and returns its text. */
function followGuide(copy: string, name: string): string {
  const guide = readFileSync(join(root, name), "utf8");
  const next = String(readdirSync(join(copy, "migrations")).length + 1).padStart(4, "0");
  const files = [...guide.matchAll(/<!-- file: (\S+) -->\n```\w+\n(.*?)```/gs)];
  assert.equal(files.length, 3);
  for (const [, name, text] of files) {
    const path = join(copy, name!.replace("NNNN", next));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text!);
  }
  return guide;
}

test("the requests of docs/quotes.md answer what it shows", async () => {
  const acme = await organization();

  const followed = await followRequests(acme, "docs/quotes.md");

  assert.equal(followed, 8);
});

test("who follows docs/undo.md tries a deletion, and takes back what a request and a change set did", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "First" });
  const { headers } = await acme.ask("PUT", `/lead/${lead.id}/`, { body: { industry: "Steel" } });
  const env = {
    PATH: process.env.PATH,
    KEY: acme.key,
    URL: acme.service.url,
    LEAD: lead.id,
    REQUEST: headers.get("x-request-id")!,
  };
  const commands = [...readFileSync(join(root, "docs/undo.md"), "utf8").matchAll(/^curl .*$/gm)].map(([line]) => line);

  const answers: any[] = [];
  for (const command of commands) answers.push(JSON.parse(await said("sh", ["-c", command], env)));

  const [tried, undone, changed, tidied] = answers;
  assert.deepEqual([tried.dry_run, tried.events.at(-1).event], [true, "lead.deleted"]);
  assert.deepEqual(undone.undone[0].fields, ["industry"]);
  assert.deepEqual([changed.name, tidied.n_undone], ["Acme", 1]);
  const { name, industry } = await acme.get(`/lead/${lead.id}/`);
  assert.deepEqual([name, industry], ["First", null]);
});

/** What a program prints. The service under test runs in this process, which must not stand still meanwhile. */
async function said(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  await once(child, "close");
  return text;
}

test("the requests of docs/following-events.md answer what it shows", async () => {
  const acme = await organization();

  const followed = await followRequests(acme, "docs/following-events.md");

  assert.equal(followed, 4);
});

test("a newcomer who follows docs/following-events.md hears a lead by curl, and keeps a mirror by the stream", async () => {
  const acme = await organization();
  const folder = mkdtempSync(join(tmpdir(), "headwater-guide-"));
  const guide = readFileSync(join(root, "docs/following-events.md"), "utf8");
  const [, command] = /```sh\n(curl .*?)```/s.exec(guide)!;
  const [, name, script] = /<!-- file: (\S+) -->\n```js\n(.*?)```/s.exec(guide)!;
  writeFileSync(join(folder, name!), script!);
  const env = { PATH: process.env.PATH, HEADWATER_URL: acme.service.url, HEADWATER_KEY: acme.key };
  const running: ChildProcess[] = [];
  const begin = (program: string, args: string[]) => {
    const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
    running.push(child);
    return child;
  };
  const mirrors = async (names: string[]) => {
    const mirrored = () => namesIn(join(folder, "leads.json"));
    for (let i = 0; i < 1000 && mirrored().join() !== names.join(); i++) await sleep(20);
    assert.deepEqual(mirrored(), names);
  };
  try {
    const curl = begin("sh", ["-c", `exec ${command}`]);
    const [beginning] = await once(curl.stdout!, "data");
    assert.match(String(beginning), /^retry: 2000\n:\nid: Wy[IJ]/);
    const [first, second] = [await acme.lead({ name: "Acme" }), await acme.lead({ name: "Bolt" })];
    const [told] = await once(curl.stdout!, "data");
    assert.match(String(told), /^id: Wy[IJ]\S+\nevent: lead.created\ndata: \{"id":"ev_/);

    const mirror = begin(process.execPath, [name!]);
    await mirrors(["Acme", "Bolt"]);
    await acme.put(`/lead/${first.id}/`, { name: "Acme Inc" });
    await acme.lead({ name: "Cog\u2028" });
    await mirrors(["Acme Inc", "Bolt", "Cog\u2028"]);
    mirror.kill("SIGKILL");
    await acme.delete(`/lead/${second.id}/`);
    await acme.lead({ name: "Dynamo" });
    begin(process.execPath, [name!]);
    await mirrors(["Acme Inc", "Cog\u2028", "Dynamo"]);
  } finally {
    for (const child of running) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

test("who follows docs/webhooks.md sees signed deliveries arrive, which the public package verifies", async () => {
  const acme = await organization(await outboundService());
  const guide = readFileSync(join(root, "docs/webhooks.md"), "utf8");
  const folder = mkdtempSync(join(tmpdir(), "headwater-guide-"));
  const [, script] = /<!-- file: receiver.mjs -->\n```js\n(.*?)```/s.exec(guide)!;
  writeFileSync(join(folder, "receiver.mjs"), script!);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const port = await freePort();
  let receiver: ChildProcess | null = null;
  let said = "";

  try {
    const followed = await withWorker(acme.service, (worker) =>
      followRequests(acme, "docs/webhooks.md", {
        change: (body) => body.replace(":8080/", `:${port}/`),
        async after({ signature_key, url }) {
          if (receiver === null) {
            assert.equal(url, `http://127.0.0.1:${port}/`);
            const env = { ...process.env, PORT: String(port), SIGNATURE_KEY: signature_key };
            receiver = spawn(process.execPath, ["receiver.mjs"], { cwd: folder, env });
            receiver.stdout!.on("data", (text) => (said += text));
            await once(receiver.stdout!, "data");
          }
          await worker.drained();
        },
      }),
    );

    assert.equal(followed, 6);
    assert.match(said, /^listening\nverified webhook.ping whk_\w+\nverified lead.created lead_\w+\n/);
    assert.doesNotMatch(said, /refused/);
  } finally {
    (receiver as ChildProcess | null)?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("who follows docs/calendars.md connects an account, and a meeting of theirs is on the lead of whom it is with", async () => {
  const { acme, provider, service } = await connecting();
  const [calendar] = calendarsOf(provider).of(ann.email);
  const soon = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const event = { id: "demo", title: "Demo", starts: soon(24), ends: soon(25), guests: [{ email: "carla@client.example" }] };
  const drained = () => withWorker(service, (worker) => worker.drained());
  const lists: any[] = [];

  const followed = await followRequests(acme, "docs/calendars.md", {
    async after({ url, data }) {
      if (url !== undefined) {
        const page = await press(acme, await open(acme, await provider.visit(url)));
        assert.match(page.text, /is connected/);
        await drained();
        calendar!.put(event);
      }
      if (data !== undefined) lists.push(data);
      service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + 7 * 60_000);
      await drained();
    },
  });

  const [[account], [meeting]] = lists;
  assert.equal(followed, 4);
  assert.deepEqual(
    account.synced_calendars.map((one: any) => one.is_primary),
    [true],
  );
  assert.deepEqual([meeting.title, meeting.source], ["Demo", "calendar"]);
});

test("who follows docs/telephony.md rents a number, sends a text from it and calls, and finds answer and recording on the lead", async () => {
  const service = await outboundService();
  const [acme, twilio] = [await organization(service), await startTwilio()];
  twilio.forSale.push({ number: "+12125551234" });
  const drained = () => withWorker(service, (worker) => worker.drained());
  const [mine] = (await acme.get(`/membership/?user_id=${acme.userId}`)).data;
  await acme.put(`/membership/${mine.id}/`, { auto_record_calls: "enabled" });
  const lists: any[] = [];

  const followed = await followRequests(acme, "docs/telephony.md", {
    change: (body) => (body.includes("account_sid") ? JSON.stringify(twilio.credentials) : body),
    async after({ data, status, call_id, availability }) {
      await drained();
      if (call_id) await speak(twilio, service.url);
      if (availability === "offline") await leaveMessage(twilio, service.url);
      await drained();
      if (data !== undefined) lists.push(data);
      if (status === "sent") await twilio.receives(service.url, twilio.numbers[0]!.sms_url, { body: "Ten is fine!" });
    },
  });

  const [[offer], [answer, ...more], [conversation], [missed], [task]] = lists;
  assert.equal(followed, 17);
  assert.deepEqual([offer.number, offer.monthly_price, offer.currency], ["+12125551234", 115, "USD"]);
  assert.deepEqual(
    twilio.messages.map(({ from, to, body }) => [from, to, body]),
    [["+12125551234", "+12125559876", "Is Tuesday at ten all right?"]],
  );
  assert.deepEqual([answer.text, answer.conversation_id, more], ["Ten is fine!", conversation.id, []]);
  assert.deepEqual([conversation.is_read, conversation.channel], [false, "sms"]);
  assert.equal((await acme.get("/notification/?type=message_received")).data.length, 1);
  assert.deepEqual([missed.status, missed.disposition, missed.voicemail_duration], ["no-answer", "vm-left", 8]);
  assert.deepEqual([task.object_id, task.voicemail_url], [missed.id, missed.voicemail_url]);
});

const sound = Buffer.from(`ID3${"\0".repeat(7)}a sound`);

/** Ada picks up in her browser, Carla at her phone, and they speak for 42 seconds. */
async function speak(twilio: TwilioServer, serviceUrl: string): Promise<void> {
  const caller = await twilio.calls.picksUp(serviceUrl, twilio.calls.all.at(-1)!);
  const [carla] = caller.rings;
  await caller.recorded(sound, 42);
  await caller.hungUp(await caller.answeredBy(carla!), 42);
}

async function leaveMessage(twilio: TwilioServer, serviceUrl: string): Promise<void> {
  const caller = await twilio.calls.arrives(serviceUrl, twilio.numbers[0]!.voice_url);
  await caller.recorded(sound, 8);
}

test("who follows docs/mail.md connects a mailbox, writes, is answered, and sees the thread on the lead", async () => {
  const service = await outboundService();
  const acme = await organization(service);
  const server = await startMailServer();
  const box = (await imapServer()).mailbox("ada@acme.example");
  const here = { smtp: server.smtp, imap: box.login };
  const lists: any[] = [];

  const followed = await followRequests(acme, "docs/mail.md", {
    change(text) {
      const body = JSON.parse(text);
      return JSON.stringify(body.smtp ? { ...body, ...here } : body);
    },
    async after(answer) {
      if (answer.status === "sent") await box.deliver(answerTo(answer, new Date(service.clock.now!.getTime() + 60_000)));
      if (answer.data !== undefined) lists.push(answer.data);
      service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + 10 * 60_000);
      await withWorker(service, (worker) => worker.drained());
    },
  });

  const [[thread]] = lists;
  assert.equal(followed, 6);
  const said = new Map(thread.emails.map((one: any) => [one.status, [one.sender, one.subject]]));
  assert.deepEqual(said.get("sent"), ['"Ada Lovelace" <ada@acme.example>', "Our offer"]);
  assert.deepEqual(said.get("inbox"), ['"Carla Client" <carla@client.example>', "Re: Our offer"]);
  assert.equal(thread.n_emails, 2);
  const [arrived] = server.to("carla@client.example");
  assert.match(arrived!.text!, /Dear Carla,\s+here it is\.\s+-- \s+Ada Lovelace, Acme/);
  assert.equal((await box.list("Sent")).length, 1);
  await server.close();
});

test("who follows docs/sequences.md sees a mail leave and a reply end the sequence, and tries each thing that sequences do", async (t) => {
  const service = await outboundService();
  // A Thursday, when it is eleven in Berlin.
  service.clock.now = new Date("2031-01-02T10:00:00Z");
  const [acme, server, imap] = [await organization(service), await startMailServer(), await imapServer()];
  const box = imap.mailbox(`ada-${acme.id}@acme.example`.toLowerCase());
  const account = await acme.post("/connected_account/", { email: box.address, smtp: server.smtp, imap: box.login });
  t.after(() => server.close());
  const pass = async (minutes: number) => {
    service.clock.now = new Date(service.clock.now!.getTime() + minutes * 60_000);
    await withWorker(service, (worker) => worker.drained());
  };

  const arrives = async (name: string, subject: string, text: string) => {
    const [mail] = server.to(`${name}@client.example`);
    const reply = { from: `${name}@client.example`, to: box.address, subject, text, date: service.clock.now! };
    await box.deliver(letter({ ...reply, inReplyTo: mail!.messageId }));
    await pass(6);
  };

  const followed = await followRequests(acme, "docs/sequences.md", {
    given: { organization: acme, account },
    meanwhile: {
      "a minute": () => pass(1),
      // A mailbox is read every few minutes, and a step waits until it has been.
      "a day": () => pass(24 * 60).then(() => pass(6)),
      "a week": () => pass(7 * 24 * 60).then(() => pass(6)),
      "Carla answers": () => arrives("carla", "Re: Your roof, Carla", "Yes, please.\n"),
      async "Dora is away"() {
        await pass(1);
        const away = "I am out of the office.\n";
        await arrives("dora", "Automatic reply: Your roof, Dora", away);
      },
      "Dora wants no more mail": () => arrives("dora", "Unsubscribe", "Please unsubscribe me from your mailing list.\n"),
      "the mailbox is away": () => imap.stop().then(() => pass(3 * 60)),
      "the mailbox is back": () =>
        imap
          .start()
          .then(() => pass(60))
          .then(() => pass(6)),
    },
  });

  assert.equal(followed, 35);
  const subjects = (name: string) => server.to(`${name}@client.example`).map(({ subject }) => subject);
  assert.deepEqual(["carla", "dora"].map(subjects), [["Your roof, Carla"], ["Your roof, Dora"]]);
  assert.deepEqual(subjects("emil").slice(1), ["Once more", "The next step"]);
});

test("who follows docs/mailing-exports.md has a contact at Brevo", async () => {
  const service = await outboundService();
  const acme = await organization(service);
  const server = await brevo("xkeysib-your-key").start();

  const followed = await followRequests(acme, "docs/mailing-exports.md", {
    change(text) {
      const body = JSON.parse(text);
      return JSON.stringify(body.api_key ? { ...body, base_url: server.url } : body);
    },
    after: () => withWorker(service, (worker) => worker.drained()),
  });

  assert.equal(followed, 4);
  assert.deepEqual([...server.people.keys()], ["carla@client.example"]);
});

test("who follows docs/enrichment.md has a lead from its website and a contact from People Data Labs", async () => {
  const service = await outboundService();
  const [acme, pdl, site] = [await organization(service), await startPeopleDataLabs(), await website(acmePage)];
  pdl.people.set("ada@acme-rockets.example", ada);

  const followed = await followRequests(acme, "docs/enrichment.md", {
    change(text) {
      const body = JSON.parse(text);
      if (body.api_key) return JSON.stringify({ ...body, base_url: pdl.url });
      return JSON.stringify(body.url ? { ...body, url: site.url } : body);
    },
    after: () => withWorker(service, (worker) => worker.drained()),
  });

  assert.equal(followed, 9);
});

test("who follows docs/imports.md brings in a table, corrects its mistakes, undoes an edit and exports the same again", async () => {
  const acme = await organization();

  const followed = await followCommands(acme, "docs/imports.md");

  assert.equal(followed, 29);
});

/**
 * Runs every command of a guide, with its files in the folder, and compares what it shows of the answers. Blocks without a request are
 * what the later ones need. Whoever looks at something does so when it is done.
 */
async function followCommands(ws: Workspace, name: string): Promise<number> {
  const guide = readFileSync(join(root, name), "utf8");
  const folder = mkdtempSync(join(tmpdir(), "headwater-guide-"));
  for (const [, file, text] of guide.matchAll(/<!-- file: (\S+) -->\n```\w+\n(.*?)```/gs))
    writeFileSync(join(folder, file!), text!);
  const blocks = [...guide.matchAll(/(?:<!-- as: (\w+) -->\n)?```sh\n(.*?)```(?:\n```(json|csv)\n(.*?)```)?/gs)];
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, KEY: ws.key, URL: ws.service.url };
  let before = "";
  let followed = 0;
  try {
    for (const [, as, command, kind, shown] of blocks) {
      if (!/\bapi "?\//.test(command!)) {
        before += command;
        continue;
      }
      if (!/ (-X|--json|-F) /.test(command!)) await withWorker(ws.service, (worker) => worker.drained());
      const answer = await said("sh", ["-c", `cd "$0"\n${before}${command}`, folder], env);
      if (as !== undefined) env[as] = JSON.parse(answer).id;
      if (kind === "csv") assert.equal(answer.replaceAll("\r\n", "\n"), shown, command);
      else
        assert.partialDeepStrictEqual(
          { "field-errors": null, ...JSON.parse(answer) },
          { "field-errors": null, ...JSON.parse(shown ?? "{}") },
          `${command}${answer}`,
        );
      followed++;
    }
    return followed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const answerTo = ({ message_ids: [id] }: any, date: Date): string =>
  letter({
    from: "Carla Client <carla@client.example>",
    to: "ada@acme.example",
    subject: "Re: Our offer",
    text: "Yes, please.\n",
    date,
    inReplyTo: id,
  });

function namesIn(file: string): string[] {
  const leads = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).leads : {};
  return Object.values(leads as Record<string, { name: string }>)
    .map(({ name }) => name)
    .sort();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

interface Following {
  /** The values that a reader would put into a body instead of those shown. */
  change?: (body: string) => string;
  /** What a reader does between the requests. */
  after?: (answer: any) => Promise<void>;
  /** What a guide supposes to be there already, by the name that its requests use. */
  given?: Record<string, { id: string }>;
  /** What happens before a request, by the words of the guide: time passes, or somebody answers. */
  meanwhile?: Record<string, () => Promise<unknown>>;
}

const request =
  /(?:<!-- meanwhile: ([^>]+) -->\n)?(?:<!-- as: (\w+) -->\n)?```http\n(\w+) (\S+)\n(.*?)```(?:\n```json\n(.*?)```)?/gs;

/** Sends every request of a guide, with values from earlier responses, and compares what it shows of the response. */
async function followRequests(ws: Workspace, guide: string, following: Following = {}): Promise<number> {
  const { change = (body) => body, after, given = {}, meanwhile = {} } = following;
  const blocks = [...readFileSync(join(root, guide), "utf8").matchAll(request)];
  const answers = new Map<string, any>(Object.entries(given));
  const known = (part: string) => part.replace(/\$([a-z]\w*)((?:\.\w+)*)/g, (_, name, path) => valueIn(answers.get(name), path));
  for (const [, event, as, method, path, body, shown] of blocks) {
    if (event !== undefined) await meanwhile[event]!();
    const sent = body === "" ? undefined : JSON.parse(change(known(body!)));
    const answer = await ws.ask(method!, known(path!), { body: sent });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    if (as !== undefined) answers.set(as, answer.body);
    compare(answer.body, JSON.parse(known(shown ?? "{}")), `${method} ${path} shows`);
    await after?.(answer.body);
  }
  return blocks.length;
}

/** The value at a path such as `.steps.0.id`. By itself a name stands for the id of the record, or the cursor of the list. */
function valueIn(answer: any, path: string): string {
  if (path === "") return answer.id ?? answer.cursor_previous;
  return path
    .slice(1)
    .split(".")
    .reduce((value, key) => value[key], answer);
}

/** A guide shows some fields of a record, each element of a list, and `*` for any value. */
function compare(value: any, shown: any, where: string): void {
  if (shown === "*") return assert.ok(value, where);
  if (shown === null || typeof shown !== "object") return assert.deepEqual(value, shown, where);
  if (Array.isArray(shown)) assert.equal(value.length, shown.length, `${where}, as long a list`);
  for (const [key, one] of Object.entries(shown)) compare(value?.[key], one, `${where} ${key}`);
}
