#!/usr/bin/env node
// What has happened: the service is slow for everybody, because one organization sends very many requests or has very much done in the
//   background.
// What this does:
//   runaway_tenant.mjs who                  says which organizations take the time of the API, and what the doctor finds in the background
//   runaway_tenant.mjs limit ID [PERCENT]   leaves one of them a part of the usual limits (10 %; 0 suspends it), and measures again
//   runaway_tenant.mjs give_back ID         gives it the usual limits again
// Needs: URL, where an API process listens (http://127.0.0.1:4000); METRICS_TOKEN from another machine; for `limit` and `give_back` the
//   settings of the service, and HEADWATER, its command (headwater). SECONDS says how long is measured (10). Where several processes
//   share the port, each answers for itself: the dashboard adds them up.
// It worked when, after `limit`, the time of one answer in twenty is as usual again and the organization is not at the top any more. It
//   stays limited until `give_back`; the doctor names it until then. Its people see 429 with ratelimit headers, or 403 while suspended.
import { spawnSync } from "node:child_process";

const { URL: place = "http://127.0.0.1:4000", METRICS_TOKEN, HEADWATER = "headwater", SECONDS = "10" } = process.env;
const [what, id, percent = "10"] = process.argv.slice(2);

try {
  if (what === "who") await who();
  else if (what === "limit" && id) await limit(id, percent);
  else if (what === "give_back" && id) headwater("organization", "limit", id, "100");
  else throw new Error("Say who, limit ID [PERCENT], or give_back ID.");
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function who() {
  await measure();
  console.log("\nIn the background, as the doctor sees it:");
  headwater("doctor");
}

async function limit(id, percent) {
  console.log("Before:");
  await measure();
  headwater("organization", "limit", id, percent);
  console.log("After:");
  await measure();
}

/** What the doctor finds wrong is no failure of this drill. */
function headwater(...given) {
  const [command, ...before] = HEADWATER.split(" ");
  const { status, error } = spawnSync(command, [...before, ...given], { stdio: "inherit" });
  if (error) throw error;
  if (status !== 0 && given[0] !== "doctor") throw new Error(`${HEADWATER} ${given.join(" ")} failed.`);
}

async function measure() {
  const before = await scrape();
  await new Promise((resolve) => setTimeout(resolve, Number(SECONDS) * 1000));
  const after = await scrape();
  const grown = new Map([...after].map(([name, value]) => [name, Math.max(0, value - (before.get(name) ?? 0))]));
  console.log(`  one answer in twenty takes longer than ${slowest(grown)} s`);
  const spent = [...grown].filter(([name]) => name.startsWith("headwater_organization_seconds_total"));
  const all = spent.reduce((sum, [, seconds]) => sum + seconds, 0);
  for (const [name, seconds] of spent.sort(([, a], [, b]) => b - a).filter(([, seconds]) => seconds > 0)) {
    const [, organization] = /organization="([^"]+)"/.exec(name);
    const requests = grown.get(`headwater_organization_requests_total{organization="${organization}"}`) ?? 0;
    console.log(
      `  ${organization}  ${Math.round((seconds / all) * 100)} % of the time  ${(requests / Number(SECONDS)).toFixed(1)} requests/s`,
    );
  }
}

/** The 95th percentile of all operations, by the bounds of the histogram. */
function slowest(grown) {
  const buckets = new Map();
  for (const [name, count] of grown) {
    const [, bound] = /^headwater_http_request_seconds_bucket\{.*le="([^"]+)"\}$/.exec(name) ?? [];
    if (bound !== undefined) buckets.set(bound, (buckets.get(bound) ?? 0) + count);
  }
  const all = buckets.get("+Inf") ?? 0;
  return [...buckets].find(([, count]) => count >= all * 0.95)?.[0] ?? "0";
}

async function scrape() {
  const response = await fetch(`${place}/metrics`, {
    headers: METRICS_TOKEN ? { authorization: `Bearer ${METRICS_TOKEN}` } : {},
  });
  if (!response.ok) throw new Error(`${place}/metrics answers ${response.status}: set METRICS_TOKEN.`);
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]));
}
