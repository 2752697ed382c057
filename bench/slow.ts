// `npm run bench:slow`: measures how long the heaviest single requests take, and how long they hold up everybody else. Each runs
// alone, and the best of a few rounds counts.
import { once } from "node:events";
import { copy, run } from "./copies.ts";
import { foundBenchOrganization, openStand, type Running, startService } from "./stand.ts";

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const stand = await openStand();
const { id: organizationId, key } = await foundBenchOrganization(stand.app, "slow");
const service = await startService(stand.databaseUrl, { NODE_OPTIONS: `--import=${import.meta.resolve("./loop_delay.ts")}` });

async function ask(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

// --- data ---

let count = 0;

/** Copies a record, so often that one request has to handle all copies. */
async function copies(table: string, id: string, many: number, changes: Record<string, string> = {}): Promise<string[]> {
  const [prefix] = id.split("_");
  const first = (count += many) - many;
  const ids = Array.from({ length: many }, (_, i) => `${prefix}_${String(first + i).padStart(26, "0")}`);
  const newId = `'${prefix}_' || lpad((${first} + n)::text, 26, '0')`;
  const series = `generate_series(0, ${many - 1}) n`;
  await run(stand, await copy(stand, table, "$2", series, { id: newId, ...changes }), [organizationId, id]);
  return ids;
}

const lead = () => ask("POST", "/lead/", { name: "Acme", contacts: [{ name: "Ada", emails: [{ email: "ada@acme.example" }] }] });

async function leadWithHistory(): Promise<any> {
  const made = await lead();
  const [contact_id] = (await ask("GET", `/contact/?lead_id=${made.id}`)).data.map((one: any) => one.id);
  const note = await ask("POST", "/activity/note/", { lead_id: made.id, contact_id, note: "We spoke about the offer." });
  await copies("activity", note.id, 3_999);
  return { ...made, contact_id };
}

// --- cases ---

interface Question {
  name: string;
  /** Creates the data and returns the request. */
  prepare(): Promise<() => Promise<unknown>>;
}

const questions: Question[] = [
  { name: "_fields=_all of 200 leads", prepare: async () => () => ask("GET", "/lead/?_fields=_all&_limit=200") },
  {
    name: "merging a lead with 4,000 activities",
    async prepare() {
      const [source, destination] = [(await leadWithHistory()).id, (await lead()).id];
      return () => ask("POST", "/lead/merge/", { source, destination });
    },
  },
  {
    name: "deleting a lead with 4,000 activities",
    async prepare() {
      const { id } = await leadWithHistory();
      return () => ask("DELETE", `/lead/${id}/`);
    },
  },
  {
    name: "merging a contact with 4,000 activities",
    async prepare() {
      const [{ contact_id }, other] = [await leadWithHistory(), await ask("POST", "/contact/", { name: "Bob" })];
      return () => ask("POST", "/contact/merge/", { source: contact_id, destination: other.id });
    },
  },
  {
    name: "deleting a contact with 4,000 activities",
    async prepare() {
      const { contact_id } = await leadWithHistory();
      return () => ask("DELETE", `/contact/${contact_id}/`);
    },
  },
  {
    name: "PUT /task/ of 1,000",
    async prepare() {
      const task = await ask("POST", "/task/", { lead_id: (await lead()).id, text: "Call" });
      const id__in = (await copies("task", task.id, 1_000)).join(",");
      return () => ask("PUT", "/task/", { _params: { id__in }, is_complete: true });
    },
  },
];

// --- measuring ---

async function heldUp({ process: child }: Running): Promise<number> {
  child.kill("SIGUSR2");
  for (;;) {
    const [chunk] = (await once(child.stdout!, "data")) as [Buffer];
    const found = /held ([\d.]+)/.exec(chunk.toString());
    if (found) return Number(found[1]);
  }
}

async function measured({ prepare }: Question): Promise<{ took: number; held: number }> {
  const act = await prepare();
  await heldUp(service);
  const begun = performance.now();
  await act();
  const took = performance.now() - begun;
  return { took, held: await heldUp(service) };
}

for (let i = 0; i < 200; i++) {
  const lead_id = (await lead()).id;
  const note = await ask("POST", "/activity/note/", { lead_id, note: "Hello" });
  const call = await ask("POST", "/activity/call/", { lead_id, direction: "outbound" });
  const deal = await ask("POST", "/opportunity/", { lead_id, value: 1000 });
  const task = await ask("POST", "/task/", { lead_id, text: "Call" });
  for (const { id } of [note, call]) await copies("activity", id, 15);
  await copies("opportunity", deal.id, 4);
  await copies("task", task.id, 4);
}
await run(stand, "analyze");
for (const question of questions) {
  const results: { took: number; held: number }[] = [];
  for (let round = 0; round <= rounds; round++) results.push(await measured(question));
  // The first round is the warm-up.
  const best = (of: "took" | "held") => Math.min(...results.slice(1).map((one) => one[of])).toFixed(0);
  console.log(`${question.name.padEnd(42)} ${best("took").padStart(5)} ms, holding others up for ${best("held").padStart(4)} ms`);
}
await service.stop();
await stand.close();
