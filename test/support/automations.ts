// Graphs and automations for tests.
import type { Worker } from "../../src/jobs/worker.ts";
import type { Workspace } from "./given.ts";
import { withWorker } from "./worker.ts";

const portsOf = new Map([
  ["stop", []],
  ["fail", []],
  ["goto", []],
  ["record.create", ["out", "matched"]],
  ["wait.until", ["out", "skipped"]],
  ["email.send", ["out", "suppressed"]],
  ["sms.send", ["out", "suppressed"]],
  ["message.send", ["out", "suppressed"]],
  ["sequence.subscribe", ["out", "skipped"]],
  ["sequence.pause", ["out", "skipped"]],
  ["sequence.resume", ["out", "skipped"]],
  ["sequence.unsubscribe", ["out", "skipped"]],
  ["http.request", ["out", "http_error"]],
  ["wait.event", ["matched", "timeout"]],
  ["wait.condition", ["matched", "timeout"]],
  ["record.find", ["found", "empty"]],
  ["approve", ["approved", "rejected", "timeout"]],
  ["automation.start", ["out", "timeout", "child_failed"]],
]);

/** A graph whose steps follow each other. */
export function chain(...steps: [type: string, config: object, more?: object][]): any {
  const id = (i: number) => (i < steps.length ? `s${i + 1}` : null);
  return {
    start: id(0),
    steps: Object.fromEntries(
      steps.map(([type, config, more = {}], i) => {
        const ports = portsOf.get(type) ?? ["out"];
        return [id(i), { type, config, ports: Object.fromEntries(ports.map((port) => [port, id(i + 1)])), ...more }];
      }),
    ),
  };
}

export const newLead = { type: "record.created", config: { object_type: "lead" } };

/** An automation in force. By default it starts with each new lead. */
export async function published(ws: Workspace, graph: object, body: object = {}): Promise<any> {
  const made = await ws.post("/automations/", { name: "Greet", trigger: newLead, graph, ...body });
  return ws.post(`/automations/${made.id}/publish/`, {});
}

/** Does all that follows, as the clock goes on by so many hours. */
export async function work(ws: Workspace, ...hours: number[]): Promise<void> {
  await withWorker(ws.service, async (worker) => {
    await settle(worker);
    for (const one of hours) {
      ws.service.clock.now = new Date((ws.service.clock.now ?? new Date()).getTime() + one * 3_600_000);
      await settle(worker);
    }
  });
}

/** Events of a run may start or wake another one. */
async function settle(worker: Worker): Promise<void> {
  for (let i = 0; i < 3; i++) await worker.drained();
}

/** The runs of an automation, with their steps. */
export const runsOf = async (ws: Workspace, { id }: { id: string }): Promise<any[]> =>
  Promise.all((await ws.all(`/automations/${id}/runs/`)).map((run) => ws.get(`/automation_runs/${run.id}/`)));

export const stepsOf = (run: any) => run.steps.map((step: any) => [step.step_id, step.status, step.branch]);
