// The alert rules and the dashboard that operators load: each query is PromQL, and asks for what a scrape of a running service has.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";
import { organization } from "../support/given.ts";
import { service } from "../support/service.ts";

const root = new URL("../..", import.meta.url).pathname;

const alerts: { alert: string; expr: string; annotations: { summary: string; action: string } }[] = parse(
  readFileSync(`${root}ops/alerts.yml`, "utf8"),
).groups.flatMap((group: any) => group.rules);
const panels: { title: string; targets: { expr: string; legendFormat: string }[] }[] = JSON.parse(
  readFileSync(`${root}ops/grafana.json`, "utf8"),
).panels;
const queries = [...alerts.map(({ expr }) => expr), ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))];

/** The series that a query names: each with the labels that it is selected or grouped by. Throws where it is no PromQL. */
function selectedIn(query: string): { metric: string; labels: string[] }[] {
  const selected: { metric: string; labels: string[] }[] = [];
  const grouped: string[] = [];
  parser.parse(query).iterate({
    enter({ type, from, to }) {
      const text = query.slice(from, to);
      assert.ok(!type.isError, `not PromQL: ${query}, at ${text}`);
      if (type.name === "VectorSelector") selected.push({ metric: /^\w+/.exec(text)![0], labels: [] });
      if (type.name === "LabelMatchers")
        selected.at(-1)!.labels.push(...text.matchAll(/(\w+)\s*[!=]/g).map(([, label]) => label!));
      if (type.name === "GroupingLabels") grouped.push(...text.matchAll(/\w+/g).map(([label]) => label));
    },
  });
  return selected.map(({ metric, labels }) => ({ metric, labels: [...labels, ...grouped] }));
}

test("each query of the alerts and the dashboard is PromQL about metrics and labels that the service shows", async () => {
  const acme = await organization(await service());
  await acme.lead();
  const scraped = await (await fetch(`${acme.service.url}/metrics`)).text();
  const shown = new Map<string, Set<string>>();
  // A metric without samples at the moment has its heading.
  for (const [, name, labels = ""] of scraped.matchAll(/^(?:# TYPE )?(\w+)(?:\{(.*)\})?/gm))
    shown.set(name!, new Set([...(shown.get(name!) ?? []), ...labels.matchAll(/(\w+)="/g).map(([, label]) => label!)]));

  // Ten are shown, and other tests may have busier ones.
  assert.match(scraped, /headwater_organization_requests_total\{organization="orga_\w+"\} [1-9]/);
  assert.ok(queries.length > 30, `${queries.length}`);
  for (const query of queries)
    for (const { metric, labels } of selectedIn(query)) {
      const known = shown.get(metric);
      assert.ok(known !== undefined, `no scrape has ${metric}, which is asked for by ${query}`);
      for (const label of labels) assert.ok(known.has(label) || known.size === 0, `${metric} has no label ${label}: ${query}`);
    }
});

test("each alert says what is wrong and what to do, and each panel asks one question", () => {
  assert.equal(new Set(alerts.map(({ alert }) => alert)).size, alerts.length);
  for (const { alert, annotations } of alerts) {
    assert.match(annotations.summary, /\.$/, alert);
    assert.match(annotations.action, /\.$/, alert);
  }
  for (const { title, targets } of panels) {
    assert.match(title, /\?/);
    for (const { legendFormat } of targets) assert.ok(legendFormat, title);
  }
});
