// Every code of publishing: what has it is refused, or published with a warning, with this code alone, and its smallest correction is
// published without it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, newLead } from "../../../test/support/automations.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import type { Row } from "./examples/codes.ts";
import { codeExamples } from "./examples/codes_of_references.ts";
import { findingCodes } from "./finding_codes.ts";

test("every code says what is wrong and where, and its smallest correction is published", async () => {
  const acme = await organization();
  const examples = await codeExamples(acme);

  assert.deepEqual(Object.keys(examples).sort(), Object.values(findingCodes).flat().sort());
  for (const [code, row] of Object.entries(examples)) {
    const { id, said } = await tried(acme, code, row);
    assert.deepEqual(
      said.map((one: any) => [one.code, one.path, one.severity]),
      [[code, row.path, row.by === "warning" ? "warning" : "error"]],
      JSON.stringify(said),
    );
    await acme.put(`/automations/${id}/`, { ...right, ...row.mended });
    const { status, warnings } = await acme.post(`/automations/${id}/publish/`, {});
    const left = warnings.map((one: any) => one.code);
    assert.deepEqual([status, left.includes(code)], ["active", false], code);
  }
});

test("what would fail in every run, or never happen, is refused in whatever place it stands", async () => {
  const acme = await organization();
  const [steps, at] = [(type: string, config: object) => ({ graph: chain([type, config]) }), "graph.steps.s1.config"];
  const text = "Hi";
  const timeout = { amount: 1, unit: "hours" };
  const when = { type: "field", ref: "record.name", op: "exists" };
  const waits = (match: object) => steps("wait.event", { event: "lead.updated", match, timeout });
  const cases = (id: string) => ({
    graph: {
      start: "s1",
      steps: { s1: { type: "branch", config: { cases: [{ id, when }] }, ports: { [id]: null, else: null } } },
    },
  });
  const over = (items: string) => ({
    graph: {
      start: "s1",
      steps: {
        s1: { type: "loop", config: { items: { $ref: items }, max: 5 }, ports: { each: "s2", done: null } },
        s2: { type: "note.create", config: { note: text }, ports: { out: "s1" } },
      },
    },
  });
  const exit = (event: string) => ({
    graph: { ...right.graph, exits: [{ id: "e", event, match: { object_id: { $ref: "record.id" } } }] },
  });
  const hours = (from: string | undefined, to: string) => ({ settings: { time_window: { from, to } } });
  const mail = (to: unknown, more: object = {}) => steps("email.draft", { to, subject: "Hi", body: "Hi", ...more });
  const number = (await acme.post("/phone_number/", { number: "+12125550178" })).id;
  const texts = (to: string) => steps("sms.send", { to, text, from_number: number });
  const rows: [code: string, row: Row][] = [
    [
      "user_inactive",
      {
        path: `${at}.to.0`,
        wrong: steps("notify.user", { to: ["user_none"], text }),
        mended: steps("notify.user", { to: [acme.userId], text }),
      },
    ],
    [
      "user_inactive",
      {
        path: `${at}.assigned_to`,
        wrong: steps("task.create", { text, assigned_to: "user_none" }),
        mended: steps("task.create", { text, assigned_to: acme.userId }),
      },
    ],
    ["field_unknown", { path: `${at}.match.nonsense`, wrong: waits({ nonsense: "x" }), mended: waits({ description: "x" }) }],
    ["branch_case_duplicate", { by: "saving", path: `${at}.cases.0.id`, wrong: cases("else"), mended: cases("some") }],
    ["ref_type_mismatch", { path: `${at}.items.$ref`, wrong: over("record.name"), mended: over("record.contacts") }],
    [
      "window_empty",
      { by: "saving", path: "settings.time_window.to", wrong: hours("09:00", "09:00"), mended: hours("09:00", "17:00") },
    ],
    [
      "window_empty",
      { by: "saving", path: "settings.time_window.to", wrong: hours(undefined, "00:00"), mended: hours(undefined, "12:00") },
    ],
    ["config_invalid", { path: `${at}.to`, wrong: mail("not an address"), mended: mail("Ann <ann@client.example>") }],
    [
      "config_invalid",
      { path: `${at}.to.1`, wrong: mail(["a@client.example", "{{ record.email }}"]), mended: mail(["a@client.example"]) },
    ],
    [
      "config_invalid",
      { path: `${at}.cc.0`, wrong: mail("a@client.example", { cc: ["nobody"] }), mended: mail("a@client.example") },
    ],
    [
      "ref_unknown",
      {
        path: `${at}.subject`,
        wrong: mail(acme.userId, { subject: "Dear {{ contact.first_nam }}" }),
        mended: mail(acme.userId, { subject: "Dear {{ contact.first_name }}" }),
      },
    ],
    ["user_inactive", { path: `${at}.to`, wrong: mail("user_none"), mended: mail(acme.userId) }],
    ["config_invalid", { path: `${at}.to`, wrong: texts("no number"), mended: texts("+12125550100") }],
    [
      "config_invalid",
      {
        path: `${at}.to`,
        wrong: steps("call.task", { to: "Ann", assigned_to: acme.userId }),
        mended: steps("call.task", { to: { $ref: "record" }, assigned_to: acme.userId }),
      },
    ],
    ["exit_equals_trigger", { path: "graph.exits.0.event", wrong: exit("lead.created"), mended: exit("lead.updated") }],
  ];
  for (const [code, row] of rows) {
    const { id, said } = await tried(acme, code, row);
    assert.deepEqual(
      said.map((one: any) => [one.code, one.path]),
      [[code, row.path]],
      JSON.stringify(said),
    );
    await acme.put(`/automations/${id}/`, { ...right, ...row.mended });
    assert.equal((await acme.post(`/automations/${id}/publish/`, {})).status, "active");
  }
  const url = "https://example.com/{{ record.id }}/";
  const body = { name: "X", ...right, ...steps("http.request", { method: "GET", url }) };
  const { errors } = await acme.refused(400, "POST", "/automations/", body, `${at}.url`);
  assert.match(errors[0].message, /\$template/);
});

const right = { trigger: newLead, graph: chain(["note.create", { note: "x" }]) };

/** What is said of a wrong one, and the automation that is corrected afterwards. */
async function tried(acme: Workspace, code: string, row: Row): Promise<{ id: string; said: any[] }> {
  const { by = "publishing", wrong, before = {}, publish = {}, as = acme } = row;
  const { id } = await acme.post("/automations/", { name: code, ...right, ...before });
  const path = `/automations/${id}/`;
  if (row.before !== undefined) await acme.post(`${path}publish/`, {});
  if (by === "saving") return { id, said: (await acme.refused(400, "PUT", path, wrong, row.path)).errors };
  await acme.put(path, wrong);
  if (by === "warning") return { id, said: (await acme.post(`${path}publish/`, {})).warnings };
  return { id, said: (await as.refused(400, "POST", `${path}publish/`, publish, row.path)).errors };
}
