// A graph for each code of publishing that fails with exactly it, and its smallest correction: those of the graph itself. A code without a
// row is an error of type.
import { chain, newLead } from "../../../../test/support/automations.ts";
import type { Workspace } from "../../../../test/support/given.ts";
import type { FindingCode } from "../finding_codes.ts";
import { hookTrigger } from "../hooks/hook.ts";

/** What is refused, in the words of a request, and what is published. Both stand beside a graph and a trigger that are right. */
export interface Row {
  path: string;
  wrong: object;
  mended: object;
  /** Where it is said. Some are refused before there is a draft. */
  by?: "saving" | "publishing" | "warning";
  /** What is in force before it. */
  before?: object;
  /** The body of the request that publishes what is wrong, and who sends it. */
  publish?: object;
  as?: Workspace;
}

export const steps = (given: object, start: string | null = "s1") => ({ graph: { start, steps: given } });
export const only = (type: string, config: object) => ({ graph: chain([type, config]) });
const note = (out: string | null, more: object = {}) => ({ type: "note.create", config: { note: "x" }, ports: { out }, ...more });
export const says = (value: unknown) => only("note.create", { note: value });
const loop = (each: string, done: string | null) => ({
  type: "loop",
  config: { items: { $ref: "record.contacts" }, max: 9 },
  ports: { each, done },
});
const wait = (config: object, out: string | null = null) => ({ type: "wait.duration", config, ports: { out } });
const hour = { amount: 1, unit: "hours" };
export const named = { type: "field", ref: "record.name", op: "exists" };
const cases = (...ids: string[]) => {
  const to = Object.fromEntries([...ids, "else"].map((id) => [id, null]));
  return steps({ s1: { type: "branch", config: { cases: ids.map((id) => ({ id, when: named })) }, ports: to } });
};
const split = (weight: number) => {
  const variants = [
    { id: "a", weight },
    { id: "b", weight: 1 },
  ];
  return steps({ s1: { type: "split", config: { variants }, ports: { a: null, b: null } } });
};
const until = (date: string) => only("wait.until", { date, if_past: "continue" });
const awaits = (more: object) => {
  const config = { event: "task.completed", match: { lead_id: { $ref: "record.id" } }, ...more };
  return steps({ s1: { type: "wait.event", config, ports: { matched: null, timeout: null } } });
};
const goto = (step: string) => steps({ s1: wait(hour, "s2"), s2: { type: "goto", config: { step }, ports: {} } });
export const by = (type: string, config: object) => ({ trigger: { type, config } });
const cron = (text: string, more: object = {}) => by("schedule.cron", { cron: text, timezone: "UTC", ...more });
const at = "graph.steps.s1";

/** A graph of this many bytes, as it is stored. */
function bytes(count: number) {
  const texts = Array.from({ length: 3 }, () => "x".repeat(80_000));
  const graph = (last: string) => {
    const made = chain(...[...texts, last].map((text): [string, object] => ["note.create", { note: text }]));
    for (const step of Object.values<any>(made.steps)) step.type_version = 1;
    return made;
  };
  return { graph: graph("x".repeat(count - JSON.stringify(graph("")).length)) };
}

const structure = {
  schema_version_unsupported: {
    by: "saving",
    path: "graph.schema_version",
    wrong: { graph: { ...says("x").graph, schema_version: 2 } },
    mended: { graph: { ...says("x").graph, schema_version: 1 } },
  },
  trigger_type_unknown: { by: "saving", path: "trigger.type", wrong: by("lead.made", {}), mended: { trigger: newLead } },
  start_missing: { path: "graph.start", wrong: steps({ s1: note(null) }, null), mended: steps({ s1: note(null) }) },
  start_unknown: { path: "graph.start", wrong: steps({ s1: note(null) }, "s2"), mended: steps({ s1: note(null) }) },
  no_steps: { path: "graph.steps", wrong: steps({}, null), mended: steps({ s1: note(null) }) },
  too_many_steps: {
    by: "saving",
    path: "graph.steps",
    wrong: { graph: chain(...Array.from({ length: 201 }, (): [string, object] => ["note.create", { note: "x" }])) },
    mended: { graph: chain(...Array.from({ length: 200 }, (): [string, object] => ["note.create", { note: "x" }])) },
  },
  graph_too_large: { by: "saving", path: "graph", wrong: bytes(256 * 1024 + 1), mended: bytes(256 * 1024) },
  step_id_invalid: {
    by: "saving",
    path: "graph.steps.step-2",
    wrong: steps({ s1: note(null), "step-2": note(null) }),
    mended: steps({ s1: note("step_2"), step_2: note(null) }),
  },
  step_type_unknown: { by: "saving", path: `${at}.type`, wrong: only("note.creat", { note: "x" }), mended: says("x") },
  type_version_unknown: {
    by: "saving",
    path: `${at}.type_version`,
    wrong: steps({ s1: note(null, { type_version: 2 }) }),
    mended: steps({ s1: note(null, { type_version: 1 }) }),
  },
} satisfies Partial<Record<FindingCode, Row>>;

const edges = {
  port_missing: { path: `${at}.ports.out`, wrong: steps({ s1: note(null, { ports: {} }) }), mended: steps({ s1: note(null) }) },
  port_unknown: {
    by: "saving",
    path: `${at}.ports.more`,
    wrong: steps({ s1: note(null, { ports: { out: null, more: null } }) }),
    mended: steps({ s1: note(null) }),
  },
  port_target_unknown: { path: `${at}.ports.out`, wrong: steps({ s1: note("s2") }), mended: steps({ s1: note(null) }) },
  step_unreachable: {
    path: "graph.steps.s2",
    wrong: steps({ s1: note(null), s2: note(null) }),
    mended: steps({ s1: note("s2"), s2: note(null) }),
  },
  cycle_without_wait: {
    path: `${at}.ports`,
    wrong: steps({ s1: note("s2"), s2: note("s1") }),
    mended: steps({ s1: note("s2"), s2: wait(hour, "s1") }),
  },
  loop_body_escapes: {
    path: "graph.steps.s2.ports.out",
    wrong: steps({ s1: loop("s2", null), s2: note(null) }),
    mended: steps({ s1: loop("s2", null), s2: note("s1") }),
  },
  loop_port_overlap: {
    path: `${at}.ports.each`,
    wrong: steps({ s1: loop("s2", "s2"), s2: note(null) }),
    mended: steps({ s1: loop("s2", null), s2: note("s1") }),
  },
  trigger_as_target: { path: `${at}.ports.out`, wrong: steps({ s1: note("trigger") }), mended: steps({ s1: note(null) }) },
  goto_invalid: { path: "graph.steps.s2.config.step", wrong: goto("s3"), mended: goto("s1") },
} satisfies Partial<Record<FindingCode, Row>>;

const mondays = Array.from({ length: 366 }, (_, i) => new Date(Date.UTC(2026, 0, 5 + 7 * i)).toISOString().slice(0, 10));
const window = (blocked_dates: string[]) => ({ settings: { time_window: { days: ["mon"], blocked_dates } } });
const hook = (verification: object) => by(hookTrigger, { verification });
const ask = (url: string) => only("http.request", { method: "GET", url });

const config = {
  config_invalid: { by: "saving", path: `${at}.config.note`, wrong: says(5), mended: says("5") },
  config_required: { path: `${at}.config.note`, wrong: only("note.create", {}), mended: says("x") },
  config_not_available: {
    path: `${at}.config`,
    wrong: only("message.send", { to: { $ref: "record" }, channel: "telegram", text: "Hi" }),
    mended: only("message.send", { to: { $ref: "record" }, channel: "whatsapp", text: "Hi" }),
  },
  schema_invalid: {
    by: "saving",
    path: "trigger.config.input_schema.properties.n.typ",
    wrong: by("manual", { input_schema: { properties: { n: { typ: "integer" } } } }),
    mended: by("manual", { input_schema: { properties: { n: { type: "integer" } } } }),
  },
  branch_no_cases: { by: "saving", path: `${at}.config.cases`, wrong: cases(), mended: cases("a") },
  branch_case_duplicate: { by: "saving", path: `${at}.config.cases.1.id`, wrong: cases("a", "a"), mended: cases("a", "b") },
  split_weights_invalid: { by: "saving", path: `${at}.config.variants.0.weight`, wrong: split(-1), mended: split(1) },
  duration_invalid: {
    by: "saving",
    path: `${at}.config.amount`,
    wrong: only("wait.duration", { amount: 0, unit: "hours" }),
    mended: only("wait.duration", hour),
  },
  date_invalid: { path: `${at}.config.date`, wrong: until("next week"), mended: until("2026-01-02") },
  timeout_required: { path: `${at}.config.timeout`, wrong: awaits({}), mended: awaits({ timeout: hour }) },
  timezone_unknown: {
    by: "saving",
    path: `${at}.config.timezone`,
    wrong: only("wait.duration", { ...hour, timezone: "Mars/Base" }),
    mended: only("wait.duration", { ...hour, timezone: "Europe/Berlin" }),
  },
  cron_invalid: { by: "saving", path: "trigger.config.cron", wrong: cron("61 * * * *"), mended: cron("59 * * * *") },
  cron_too_frequent: {
    path: "trigger.config.cron",
    wrong: cron("* * * * *", { for_each: { object_type: "lead" } }),
    mended: cron("*/5 * * * *", { for_each: { object_type: "lead" } }),
  },
  window_empty: { path: "settings.time_window", wrong: window(mondays), mended: window([]) },
  url_not_allowed: { path: `${at}.config.url`, wrong: ask("https://169.254.169.254/"), mended: ask("https://example.com/") },
  url_not_https: {
    by: "warning",
    path: `${at}.config.url`,
    wrong: ask("http://example.com/"),
    mended: ask("https://example.com/"),
  },
  webhook_unverified: {
    by: "warning",
    path: "trigger.config.verification.mode",
    wrong: hook({ mode: "none" }),
    mended: hook({ mode: "standard" }),
  },
  webhook_secret_unfit: {
    by: "warning",
    path: "trigger.config.verification",
    before: hook({ mode: "token" }),
    wrong: hook({ mode: "hmac_custom", header: "X-Signature", key_encoding: "hex" }),
    mended: hook({ mode: "hmac_custom", header: "X-Signature" }),
  },
} satisfies Partial<Record<FindingCode, Row>>;

/** The codes of the graph itself, of which records there are matters to none. */
export const plainCodes = { ...structure, ...edges, ...config } satisfies Partial<Record<FindingCode, Row>>;
