// The commands as an operator runs them: the real ones, in processes of their own.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Client } from "../../test/support/client.ts";
import { createDatabase } from "../../test/support/database.ts";
import { organization } from "../../test/support/given.ts";
import { childrenOf, command, dataDir, discard, type Running, start, statusOf, until } from "../../test/support/processes.ts";
import { service } from "../../test/support/service.ts";
import { Visitor } from "../../test/support/visitor.ts";
import { withClient } from "../db/one_client.ts";
import { createPartitions } from "../db/partitions.ts";
import { operations } from "../resources/index.ts";
import { bootstrap } from "./bootstrap.ts";

const noBootstrap = { organization: null, email: "admin@localhost", password: null, api_key: null };

test("a first start shows a key that works; commands join it, a second start does not; the next start finds everything", async () => {
  const DATA_DIR = dataDir();
  const first = await start({ DATA_DIR, BOOTSTRAP_ORGANIZATION: "Acme" });
  const [, key = ""] = /(api_\w{49})/.exec(first.said) ?? [];

  try {
    assert.match(first.said, new RegExp(`The data lies in .*postgres[\\s\\S]*curl -u ${key}: http`));
    const me: any = await (await fetch(`${first.url}/api/v1/me/`, { headers: { authorization: `Bearer ${key}` } })).json();
    assert.deepEqual([me.email, me.organizations[0].name], ["admin@localhost", "Acme"]);
    const second = await command(["start"], { DATA_DIR });
    assert.deepEqual([second.code, second.out], [1, ""]);
    assert.match(second.err, /already runs/);
    const made = await command(["key", "create", "--email", "admin@localhost"], { DATA_DIR });
    assert.match(made.out, /^api_\w{49}\n$/);
    assert.equal(await statusOf(first.url, made.out.trim()), 200);
    const healthy = await command(["doctor"], { DATA_DIR });
    assert.equal(healthy.code, 0, healthy.out);
  } finally {
    assert.equal(await first.stop(), 0);
  }

  const again = await start({ DATA_DIR });
  try {
    assert.ok(!again.said.includes("api_"), again.said);
    assert.equal(await statusOf(again.url, key), 200);
  } finally {
    await again.stop();
    const moved = join(DATA_DIR, "postgres.path");
    try {
      discard(dirname(readFileSync(moved, "utf8").trim()));
    } catch {
      // The database was in DATA_DIR itself.
    }
  }
});

test("the operator chooses the first key and password, and neither is printed; at a terminal the service ends at once", async () => {
  const database = await createDatabase();
  const [BOOTSTRAP_API_KEY, BOOTSTRAP_PASSWORD] = ["chosen-by-the-operator-1", "correct horse battery"];
  const running = await start({
    DATA_DIR: dataDir(),
    DATABASE_URL: database.url,
    BOOTSTRAP_API_KEY,
    BOOTSTRAP_PASSWORD,
    BOOTSTRAP_EMAIL: "ada@example.com",
    SHUTDOWN_DELAY_SECONDS: "3600",
  });

  try {
    assert.equal(await statusOf(running.url, BOOTSTRAP_API_KEY), 200);
    assert.ok(!running.said.includes(BOOTSTRAP_API_KEY) && !running.said.includes(BOOTSTRAP_PASSWORD), running.said);
    running.child.kill("SIGINT");
    assert.equal((await once(running.child, "exit"))[0], 0);
  } finally {
    running.child.kill("SIGKILL");
    await database.drop();
  }
});

test("a signal lets what is under way finish, a second one does not wait for it", async () => {
  const database = await createDatabase();
  const BOOTSTRAP_API_KEY = "a-request-that-takes-its-time";
  const running = await start({ DATA_DIR: dataDir(), DATABASE_URL: database.url, BOOTSTRAP_API_KEY });
  const [, port] = /:(\d+)$/.exec(running.url)!;
  const slow = connect(Number(port), "127.0.0.1");
  const headers = `host: a\r\nauthorization: Bearer ${BOOTSTRAP_API_KEY}\r\nexpect: 100-continue\r\ncontent-length: 10`;
  slow.on("error", () => {}).write(`POST /api/v1/lead/ HTTP/1.1\r\n${headers}\r\n\r\n`);
  // `100 Continue` says that the request has started.
  await once(slow, "data");

  running.child.kill("SIGTERM");
  await sleep(1000);
  assert.equal(running.child.exitCode, null);
  running.child.kill("SIGTERM");

  assert.equal((await once(running.child, "exit"))[0], 143);
  slow.destroy();
  await database.drop();
});

test("clients on kept connections are answered until the service is gone, and none is reset, with one process and with two", async () => {
  const database = await createDatabase();
  const BOOTSTRAP_API_KEY = "sixteen-clients-never-rest";
  const env = {
    DATA_DIR: dataDir(),
    DATABASE_URL: database.url,
    BOOTSTRAP_API_KEY,
    RATE_LIMIT: "off",
    SHUTDOWN_DELAY_SECONDS: "1",
  };

  for (const WEB_CONCURRENCY of ["1", "2"]) {
    const running = await start({ ...env, WEB_CONCURRENCY });
    let answered = 0;
    // What ended a client. A client that is refused for now, with a response that says so, asks again.
    const client = async (): Promise<string> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const headers = { authorization: `Bearer ${BOOTSTRAP_API_KEY}` };
      try {
        for (;;) {
          const asked = get(`${running.url}/api/v1/me/`, { agent, headers });
          const [answer] = (await once(asked, "response")) as [IncomingMessage];
          const body = JSON.parse(await text(answer));
          const isRefusedForNow = answer.statusCode === 503 && body.error && Number(answer.headers["retry-after"]) > 0;
          if (answer.statusCode === 200) answered++;
          else if (isRefusedForNow) await sleep(100);
          else return `answered ${answer.statusCode}`;
        }
      } catch (error) {
        return (error as NodeJS.ErrnoException).code ?? String(error);
      }
    };
    const clients = Array.from({ length: 16 }, client);
    try {
      await until(() => answered > 100);
      assert.equal(await running.stop(), 0);
      assert.deepEqual(new Set(await Promise.all(clients)), new Set(["ECONNREFUSED"]), `${WEB_CONCURRENCY} processes`);
    } finally {
      running.child.kill("SIGKILL");
    }
  }
  await database.drop();
});

test("of two first starts at once one founds the organization", async () => {
  const database = await createDatabase();

  const founded = await Promise.all([1, 2, 3].map(() => bootstrap(database.url, noBootstrap, new Date())));

  assert.equal(founded.filter((one) => one !== null).length, 1);
  await database.drop();
});

test("after an unhandled failure running requests finish, and the service restarts by itself; of several processes all answer, and one that is killed is replaced", async () => {
  const database = await createDatabase();
  const BOOTSTRAP_API_KEY = "a-failure-that-nobody-heard";
  for (const WEB_CONCURRENCY of ["1", "2"]) {
    // A preload that makes a process fail on request, because our own code has no such failure.
    const failing = encodeURIComponent(`process.on("SIGUSR2", () => Promise.reject(new Error("unheard")))`);
    const env = {
      DATABASE_URL: database.url,
      BOOTSTRAP_API_KEY,
      WEB_CONCURRENCY,
      NODE_OPTIONS: `--import=data:text/javascript,${failing}`,
    };
    const running = await start({ DATA_DIR: dataDir(), ...env });
    const { pid } = running.child;
    const processes = () => childrenOf(pid!, "start");
    const isReplaced = (one: number) => processes().length === 2 && !processes().includes(one);
    // Until a process has called exec, it still shows its parent's command line.
    if (WEB_CONCURRENCY === "2") await until(() => processes().length === 2);
    const [failed, kept] = WEB_CONCURRENCY === "1" ? [pid!] : processes();
    const slow = await underWay(running.url, BOOTSTRAP_API_KEY);

    try {
      process.kill(failed!, "SIGUSR2");
      await sleep(300);
      slow.socket.write('{"name":""}');
      await until(() => slow.said.includes("HTTP/1.1 201"));
      await until(async () => (await statusOf(running.url, BOOTSTRAP_API_KEY).catch(() => 0)) === 200);
      if (WEB_CONCURRENCY === "1") {
        assert.equal(await metric(running.url, "headwater_unhandled_rejections_total"), "1");
        continue;
      }
      await until(() => isReplaced(failed!));
      const killed = processes().find((one) => one !== kept);
      process.kill(killed!, "SIGKILL");
      await until(() => isReplaced(killed!));
      for (let i = 0; i < 10; i++) assert.equal(await statusOf(running.url, BOOTSTRAP_API_KEY), 200);
    } finally {
      assert.equal(await running.stop(), 0);
    }
  }
  await database.drop();
});

async function metric(url: string, name: string): Promise<string | null> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? null;
}

/** A request that stays open until its body is sent. */
async function underWay(url: string, key: string) {
  const [, port] = /:(\d+)$/.exec(url)!;
  const socket = connect(Number(port), "127.0.0.1");
  const slow = { socket, said: "" };
  const headers = `host: a\r\nauthorization: Bearer ${key}\r\nexpect: 100-continue\r\ncontent-length: 11`;
  socket.on("error", () => {}).on("data", (bytes) => (slow.said += bytes));
  socket.write(`POST /api/v1/lead/ HTTP/1.1\r\n${headers}\r\n\r\n`);
  // `100 Continue` says that the request has started.
  await once(socket, "data");
  return slow;
}

test("another key is refused while the service runs, which starts again all the same, and is taken once it has stopped", async () => {
  const database = await createDatabase();
  const BOOTSTRAP_API_KEY = "another-key-for-what-is-sealed";
  const env = { DATA_DIR: dataDir(), DATABASE_URL: database.url, BOOTSTRAP_API_KEY };
  const keyOf = () => readFileSync(join(env.DATA_DIR, "secret_key"), "utf8");
  const rotate = () => command(["doctor", "--rotate-secret"], env);
  const makeLead = async ({ url }: Running) => {
    const headers = {
      authorization: `Bearer ${BOOTSTRAP_API_KEY}`,
      "content-type": "application/json",
      "idempotency-key": "once",
    };
    const answer = await fetch(`${url}/api/v1/lead/`, { method: "POST", headers, body: `{"name":"Bolt"}` });
    return ((await answer.json()) as { id: string }).id;
  };

  try {
    const first = await start(env);
    const [lead, key] = [await makeLead(first), keyOf()];
    const refused = await rotate();
    await first.stop();
    await (await start(env)).stop();
    const kept = keyOf();
    const taken = await rotate();
    const again = await start(env);
    const replayed = await makeLead(again);
    await again.stop();

    assert.equal(refused.code, 1);
    assert.match(refused.err, /The service is running/);
    assert.equal(kept, key);
    assert.equal(taken.out, "Secrets sealed with the new key: 1.\n", taken.err);
    assert.notEqual(keyOf(), key);
    assert.equal(replayed, lead);
  } finally {
    await database.drop();
  }
});

test("a mistake in the configuration or a port in use ends the start with a sentence", async () => {
  const database = await createDatabase();
  const { url } = await service();

  const misspelt = await command(["start"], { DATA_DIR: dataDir(), PORT: "many", RATE_LIMIT_RAED: "1/1" });
  const taken = await command(["start"], { DATA_DIR: dataDir(), DATABASE_URL: database.url, PORT: new URL(url).port });

  assert.equal(misspelt.code, 1);
  assert.match(misspelt.err, /PORT must be[\s\S]*RATE_LIMIT_RAED is not known/);
  assert.equal(taken.code, 1);
  assert.match(taken.err, /Port \d+ is in use/);
  assert.ok(!`${misspelt.err}${taken.err}`.includes("    at "));
  await database.drop();
});

test("key create lets an invited person in, says what to choose from, and refuses who was removed", async () => {
  const on = await service();
  const env = { DATA_DIR: dataDir(), DATABASE_URL: on.databaseUrl };
  const acme = await organization(on);
  const email = `invited-${process.pid}@example.com`;
  const { id } = await acme.post("/membership/", { email });

  const made = await command(["key", "create", "--email", email.toUpperCase(), "--name", "First"], env);

  const invited = new Client(on, made.out.trim());
  assert.equal((await invited.get("/me/")).organization_id, acme.id);
  assert.deepEqual(
    (await acme.events(id)).map((event) => event.event),
    ["membership.activated", "membership.updated"],
  );

  const second = await invited.post("/organization/", { name: "Their own" });
  const unclear = await command(["key", "create", "--email", email], env);
  assert.equal(unclear.code, 1);
  assert.match(unclear.err, new RegExp(`--organization[\\s\\S]*${acme.id}[\\s\\S]*${second.id}  Their own`));
  const chosen = await command(["key", "create", "--email", email, "--organization", second.id], env);
  assert.equal((await new Client(on, chosen.out.trim()).get("/me/")).organization_id, second.id);

  await acme.delete(`/membership/${id}/`);
  assert.match(
    (await command(["key", "create", "--email", email, "--organization", acme.id], env)).err,
    /any more: invite them first/,
  );
});

test("account link prints a new link of somebody who is invited, a link to set the password of a member, and of nobody else", async () => {
  const on = await service();
  const env = { DATA_DIR: dataDir(), DATABASE_URL: on.databaseUrl, BASE_URL: "https://crm.example.com" };
  const acme = await organization(on);
  const email = `linked-${process.pid}@example.com`;
  const { id, invitation_url } = await acme.post("/membership/", { email });

  const link = (await command(["account", "link", "--email", email.toUpperCase()], env)).out.trim();

  assert.match(link, /^https:\/\/crm\.example\.com\/invite\/[\w-]{43}\/$/);
  assert.equal((await fetch(invitation_url.replace("http://localhost", on.url))).status, 404, "the one before is none any more");
  const visitor = new Visitor(on);
  await visitor.open(new URL(link).pathname);
  await visitor.send({});
  assert.deepEqual(
    (await acme.get("/membership/?status=active")).data.some((one: any) => one.id === id),
    true,
  );
  const own = (await command(["account", "link", "--email", email], env)).out.trim();
  assert.match(own, /^https:\/\/crm\.example\.com\/password\/[\w-]{43}\/$/);
  assert.equal((await fetch(own.replace("https://crm.example.com", on.url))).status, 200);
  assert.match((await command(["account", "link", "--email", "nobody@example.com"], env)).err, /is not invited to any/);
});

test("organizations and accounts are created for an address, and an account's billing is heard at once", async () => {
  const on = await service();
  const env = { DATA_DIR: dataDir(), DATABASE_URL: on.databaseUrl };
  const email = `owner-${process.pid}@example.com`;

  const { out } = await command(["organization", "create", "--name", "By hand", "--email", email], env);

  const [, key = ""] = /(api_\w{49})/.exec(out) ?? [];
  const owner = new Client(on, key);
  const [{ id, name }] = (await owner.get("/me/")).organizations;
  assert.equal(name, "By hand");
  assert.ok(out.includes(id));
  const account = (await command(["account", "create", "--email", email], env)).out.trim();
  assert.match(account, /^acct_\w+$/);
  await owner.refused(400, "POST", "/organization/", { name: "Which account?" }, "account_id");

  const { account_id } = await owner.get(`/organization/${id}/`);
  await command(["account", "billing", account_id, "past_due"], env);
  await owner.refused(402, "POST", "/lead/", { name: "New" });
  await command(["account", "billing", account_id, "active"], env);
  await owner.post("/lead/", { name: "New" });
  assert.match((await command(["account", "billing", "acct_nobody", "active"], env)).err, /There is no account/);
  assert.match((await command(["account", "billing", account_id, "late"], env)).err, /past_due or active/);
});

test("routes lists every operation", async () => {
  const { out, code } = await command(["routes"], {});

  assert.equal(code, 0);
  const lines = out.trim().split("\n");
  assert.equal(lines.length, operations.length);
  assert.ok(
    lines.some((line) => /^GET +\/api\/v1\/me\/ +member +Returns the user/.test(line)),
    out,
  );
});

test("distribute changes nothing where there is no Citus, says what is missing, and refuses a senseless number of shards", async () => {
  const database = await createDatabase();
  const env = { DATA_DIR: dataDir(), DATABASE_URL: database.url };

  const refused = await command(["distribute"], env);
  const senseless = await command(["distribute", "--shards", "many"], env);

  assert.deepEqual([refused.code, refused.out], [1, ""]);
  assert.match(refused.err, /has no Citus[\s\S]*citus_add_node[\s\S]*Nothing was changed/);
  assert.deepEqual([senseless.code, senseless.err], [1, "--shards must be a whole number from 1 to 64000.\n"]);
  await database.drop();
});

test("doctor says what is wrong and what to do about it", async () => {
  const database = await createDatabase();
  const env = { DATA_DIR: dataDir(), DATABASE_URL: database.url };

  const bare = await command(["doctor"], env);
  await createPartitions(database.url, new Date());
  const healthy = await command(["doctor"], env);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("alter function ts_match_vq(tsvector, tsquery) not leakproof");
  await client.end();
  const leaky = await command(["doctor"], { ...env, DATABASE_RLS: "on" });
  await database.drop();
  const gone = await command(["doctor"], env);
  const misspelt = await command(["doctor"], { ...env, PORT: "many" });

  assert.equal(bare.code, 1);
  assert.match(
    bare.out,
    /^wrong {2}monthly tables of events and deliveries: event_\d{4}_\d\d, .* `headwater start` makes them$/m,
  );
  assert.deepEqual([healthy.code, healthy.out.includes("wrong")], [0, false], healthy.out);
  assert.equal(leaky.code, 1);
  assert.match(
    leaky.out,
    /^wrong {2}indexes under row-level security: .*`alter function ts_match_vq\(tsvector,tsquery\) leakproof`$/m,
  );
  assert.equal(gone.code, 1);
  assert.match(gone.out, /^wrong {2}database: cannot be reached/m);
  assert.match(misspelt.out, /^wrong {2}configuration: [\s\S]*PORT must be/m);
});

test("`migrate --check` says what waits for an upgrade and for how long, and changes nothing", async (t) => {
  const database = await createDatabase();
  t.after(database.drop);
  const env = { DATA_DIR: dataDir(), DATABASE_URL: database.url };
  const ask = (text: string) => withClient(database.url, "test", (client) => client.query(text));
  const upToDate = await command(["migrate", "--check"], env);
  await ask(
    `set session_replication_role = replica;
     insert into activity (organization_id, id, _type, lead_id, activity_at, date_created, date_updated)
     select 'orga_1', 'acti_' || n, 'Note', 'lead_1', now(), now(), now() from generate_series(1, 2000) n`,
  );
  // As if the last releases had not been there yet.
  await ask("delete from migration where version >= 122");

  const checked = await command(["migrate", "--check"], env);

  assert.equal(upToDate.out, "The database is up to date.\n");
  assert.equal(checked.code, 0, checked.err);
  const index =
    /^0122_threads_by_subject\.sql\n {2}activity: builds an index: writes wait \(activity_thread_subject_idx\)\. 2,000 rows, [\d.]+ MB: less than a second here\.$/m;
  assert.match(checked.out, index);
  assert.match(checked.out, /^0129_repeated_message_ids\.sql\n {2}takes a moment, whatever the tables hold$/m);
  assert.match(checked.out, /\n\d+ would be applied\. Nothing was changed\.\n$/);
  assert.equal((await ask("select max(version) as version from migration")).rows[0].version, 121);
});
