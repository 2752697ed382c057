// Graphs and automations for tests.
import type { Workspace } from "./given.ts";

const portsOf = new Map([
  ["stop", []],
  ["fail", []],
  ["goto", []],
  ["record.create", ["out", "matched"]],
  ["wait.until", ["out", "skipped"]],
  ["wait.event", ["matched", "timeout"]],
  ["wait.condition", ["matched", "timeout"]],
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
