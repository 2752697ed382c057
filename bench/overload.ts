// `npm run bench:overload`: sends five times the heavy reads that the service can carry, on 50,000 leads, and measures everyone
// else's requests. Targets are in the last column. All traffic stays on this machine.
import { fork } from "node:child_process";
import { once } from "node:events";
import { copy, run, timed } from "./copies.ts";
import type { Answers, Crowd, Group } from "./crowd.ts";
import { measure, median } from "./load.ts";
import { foundBenchOrganization, openStand, startService } from "./stand.ts";

const leads = Number(process.env.OVERLOAD_LEADS ?? 50_000);
const seconds = Number(process.env.BENCH_SECONDS ?? 10);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const times = 5;
const slowConnections = 1_000;

const stand = await openStand({ fsync: "off" });
const organization = await foundBenchOrganization(stand.app, `overload-${Date.now()}`);
const service = await startService(stand.databaseUrl);
const headers = { authorization: `Bearer ${organization.key}`, "content-type": "application/json" };

// --- data ---

async function post(path: string, body: object): Promise<any> {
  const answer = await fetch(`${service.url}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const nameOf = "'Company ' || md5(n::text)";

async function fill(): Promise<void> {
  const lead = await post("/lead/", { name: "templatename", contacts: [{ name: "Template" }] });
  const deal = await post("/opportunity/", { lead_id: lead.id, value: 1000 });
  const id = (prefix: string) => `'${prefix}_' || lpad(n::text, 26, '0')`;
  const dated = { date_created: `now() - n * interval '1 minute'` };
  const series = "generate_series(1, $2::int) n";
  const leadsSql = await copy(stand, "lead", `'${lead.id}'`, series, {
    ...dated,
    id: id("lead"),
    name: nameOf,
    display_name: nameOf,
    rendered: `replace(replace(t.rendered, t.id, ${id("lead")}), 'templatename', ${nameOf})`,
  });
  const dealsSql = await copy(stand, "opportunity", `'${deal.id}'`, series, {
    ...dated,
    id: id("oppo"),
    lead_id: id("lead"),
    value: "n",
    rendered: "null",
  });
  await timed(`${leads} leads`, () => run(stand, leadsSql, [organization.id, leads]));
  await timed(`${leads} deals`, () => run(stand, dealsSql, [organization.id, leads]));
  await timed("vacuum analyze", () => run(stand, "vacuum analyze"));
}

// --- requests ---

const search = (letters: string) =>
  JSON.stringify({
    query: {
      type: "and",
      queries: [
        { type: "object_type", object_type: "lead" },
        {
          type: "field_condition",
          field: { type: "regular_field", field_name: "name" },
          condition: { type: "text", mode: "beginning_of_words", value: letters },
        },
      ],
    },
    sort: "-name",
    include_counts: true,
    _limit: 20,
  });
const letters = Array.from({ length: 16 }, (_, i) => i.toString(16));
const heavy = letters.flatMap((letter) => [
  { path: "/api/v1/data/search/", body: search(letter) },
  { path: "/api/v1/report/sales/", body: "{}" },
]);
const group = (name: string, perSecond: number, method: Group["method"], requests: Group["requests"]): Group => ({
  name,
  perSecond,
  method,
  requests,
});
const groups = {
  heavy: (perSecond: number) => group("heavy", perSecond, "POST", heavy),
  write: group("write", 20, "POST", [{ path: "/api/v1/lead/", body: `{"name":"Beside"}` }]),
  read: group("read", 50, "GET", [{ path: `/api/v1/lead/lead_${"1".padStart(26, "0")}/` }]),
  health: group("health", 20, "GET", [{ path: "/healthz" }]),
};

async function crowd(asked: readonly Group[], slow = 0): Promise<Answers> {
  const child = fork(new URL("./crowd.ts", import.meta.url).pathname, { stdio: "inherit" });
  const told: Crowd = { url: service.url, headers, seconds, groups: asked, slow };
  child.send(told);
  const [answers] = await once(child, "message");
  return answers as Answers;
}

/** How many heavy reads per second a few clients get when each waits for its response. */
async function carries(): Promise<number> {
  let asked = 0;
  const paths = () => heavy[asked++ % heavy.length]!;
  const load = { url: service.url, headers, connections: 4, leadInSeconds: 10, seconds, method: "POST" as const, paths };
  return (await measure(load)).perSecond;
}

interface Rounds {
  /**
   * Alternates between the load it can carry and five times that load: a machine that others use is slower for seconds at a time.
   */
  within: Answers[];
  beyond: Answers[];
}

async function inTurns(carried: number): Promise<Rounds> {
  const all: Rounds = { within: [], beyond: [] };
  for (let round = 0; round < rounds; round++) {
    all.within.push(await crowd([groups.heavy(carried), groups.write, groups.health]));
    all.beyond.push(await crowd([groups.heavy(carried * times), groups.write, groups.health]));
  }
  return all;
}

// --- results ---

const p99 = (ms: readonly number[] = []): number =>
  ms.length === 0 ? Number.NaN : [...ms].sort((a, b) => a - b)[Math.min(ms.length - 1, Math.floor(ms.length * 0.99))]!;
const count = (ms: readonly number[] = []) => ms.length;

interface Figure {
  what: string;
  value: number;
  unit: string;
  holds: boolean;
  target: string;
}

function figuresOf({ within, beyond }: Rounds, slow: Answers): Figure[] {
  const share = median(beyond.map(({ heavy }, i) => count(heavy![200]) / count(within[i]!.heavy![200])));
  const all = (group: string, status: number) => beyond.flatMap((answers) => answers[group]![status] ?? []);
  const most = (what: string, value: number, ms: number): Figure => {
    return { what, value, unit: "ms", holds: value <= ms, target: `≤ ${ms} ms` };
  };
  const none = (what: string, value: number): Figure => ({ what, value, unit: "", holds: value === 0, target: "0" });
  const others = beyond.flatMap(({ write, health }) => [...Object.entries(write!), ...Object.entries(health!)]);
  const failed = others.filter(([status]) => status !== "200" && status !== "201").flatMap(([, ms]) => ms);
  return [
    { what: "goodput, of what is answered within its means", value: share, unit: "", holds: share >= 0.8, target: "≥ 0.8" },
    most("writes beside it, p99", p99(all("write", 201)), 500),
    most("refusals, p99", p99(all("heavy", 503)), 1000),
    most("/healthz on new connections, p99", p99(all("health", 200)), 100),
    none("writes and /healthz that failed", count(failed)),
    none("heavy reads without an answer", count(all("heavy", 0))),
    most(`reads beside ${slowConnections} slow connections, p99`, p99(slow.read![200]), 100),
  ];
}

try {
  await fill();
  const carried = await carries();
  console.log(
    `It carries ${carried.toFixed(1)} heavy reads a second. ${rounds} rounds of ${seconds} s with as many, and with ${times} times`,
  );
  console.log(
    "as many, in turns; beside them 20 writes and 20 /healthz a second. The goodput is the median of the rounds' own.\n",
  );
  const turns = await inTurns(carried);
  const slow = await crowd([groups.read], slowConnections);
  const figures = figuresOf(turns, slow);
  console.log("| what | measured | to hold |\n|---|---|---|");
  for (const { what, value, unit, holds, target } of figures)
    console.log(
      `| ${what} | ${value.toFixed(unit === "ms" ? 0 : 2)}${unit && ` ${unit}`}${holds ? "" : " (missed)"} | ${target} |`,
    );
  for (const [name, each] of Object.entries(turns) as [string, Answers[]][])
    for (const { heavy } of each)
      console.log(
        `${name}: ${Object.entries(heavy!)
          .map(([status, ms]) => `${ms.length} × ${status}`)
          .join(", ")}`,
      );
  console.log(`Service process: ${service.memory()} MB.`);
  process.exitCode = figures.every(({ holds }) => holds) ? 0 : 1;
} finally {
  await service.stop();
  await stand.close();
}
