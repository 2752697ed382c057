/* oxlint-disable unicorn/no-thenable -- `then` is the wire's word for what follows */
// The actions of rules, and the workflow steps that each of them becomes.
import type { z } from "zod";
import type { duration } from "./catalog.ts";
import type { Graph, Step } from "./graph_shape.ts";

/** How the body spelled a member that is stored under one name, so that errors name what was sent. It is not stored itself. */
export const spelled: unique symbol = Symbol("spelled");

export interface Action {
  type: (typeof actionTypes)[number];
  config: Record<string, unknown>;
  /** Seconds, or an amount of a unit. */
  delay: number | z.output<typeof duration> | null;
  [spelled]?: { config: string };
}

type StepOf = (config: Record<string, unknown>) => { type: string; config: Record<string, unknown> };

const as =
  (type: string): StepOf =>
  (config) => ({ type, config });
const recordRef = { $ref: "record" };

const webhookBody = { event: { $ref: "trigger.event" }, record: recordRef };

const steps = {
  set_field: ({ field, value, ...config }: Record<string, unknown>) => ({
    type: "record.update",
    config: { target: recordRef, ...(typeof field === "string" && { fields: { [field]: value ?? null } }), ...config },
  }),
  set_status: as("status.set"),
  assign_owner: as("owner.assign"),
  add_tag: (config: Record<string, unknown>) => ({ type: "tag.change", config: { ...config, change: "add" } }),
  remove_tag: (config: Record<string, unknown>) => ({ type: "tag.change", config: { ...config, change: "remove" } }),
  add_to_list: (config: Record<string, unknown>) => ({ type: "list.change", config: { ...config, change: "add" } }),
  create_task: as("task.create"),
  create_note: as("note.create"),
  create_opportunity: as("opportunity.create"),
  send_email: (config: Record<string, unknown>) => ({
    type: "email.send",
    config: { to: recordRef, ...config },
  }),
  send_sms: (config: Record<string, unknown>) => ({ type: "sms.send", config: { to: recordRef, ...config } }),
  subscribe_sequence: as("sequence.subscribe"),
  notify_user: as("notify.user"),
  call_webhook: (config: Record<string, unknown>) => ({
    type: "http.request",
    config: { method: "POST", body: webhookBody, ...config },
  }),
} satisfies Record<string, StepOf>;

export const actionTypes = Object.keys(steps) as [keyof typeof steps, ...(keyof typeof steps)[]];

/** The graph for a list of actions. They run one after the other, each after its delay. A failure does not stop the rest. */
export function graphOf(actions: readonly Action[]): Graph {
  const chain = actions.flatMap((action, i): [string, Omit<Step, "ports">][] => [
    ...waiting(action, i),
    [`action_${i + 1}`, { ...steps[action.type](action.config), type_version: 1, on_error: { then: "continue" } }],
  ]);
  return {
    start: chain[0]?.[0] ?? null,
    steps: Object.fromEntries(
      chain.map(([id, step], i) => [id, { ...step, ports: portsTo(step.type, chain[i + 1]?.[0] ?? null) }]),
    ),
  };
}

function waiting({ delay }: Action, i: number): [string, Omit<Step, "ports">][] {
  if (delay === null || delay === 0) return [];
  const config = typeof delay === "number" ? { amount: Math.max(1, Math.round(delay / 60)), unit: "minutes" } : delay;
  return [[`wait_${i + 1}`, { type: "wait.duration", type_version: 1, config }]];
}

/** Whatever the result of a step is, the next one follows. */
const furtherPorts: Record<string, string[]> = {
  "email.send": ["suppressed"],
  "sms.send": ["suppressed"],
  "sequence.subscribe": ["skipped"],
  "http.request": ["http_error"],
};

const portsTo = (type: string, next: string | null): Record<string, string | null> =>
  Object.fromEntries(["out", ...(furtherPorts[type] ?? [])].map((port) => [port, next]));
