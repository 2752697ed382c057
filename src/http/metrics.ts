// What `/metrics` shows. The metrics of the process are collected from the first request for them on.
import { statfs } from "node:fs/promises";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Usage } from "../db/share.ts";
import { createBusiest } from "./busiest.ts";
import type { HttpApp } from "./http_app.ts";
import type { Gate } from "./shed.ts";

export interface Metrics {
  observe(route: string, status: number, seconds: number, organizationId?: string): void;
  text(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(app: HttpApp, gate: Pick<Gate, "counts">, live: { readonly size: number }): Metrics {
  const registry = new Registry();
  const timings = new Map<string, Timing[]>();
  const busiest = createBusiest();

  return {
    contentType: registry.contentType,
    observe(route, status, seconds, organizationId) {
      let byStatus = timings.get(route);
      if (byStatus === undefined) timings.set(route, (byStatus = []));
      (byStatus[status] ??= new Timing()).add(seconds);
      if (organizationId !== undefined) busiest.add(organizationId, seconds);
    },
    async text() {
      if (registry.getSingleMetric("headwater_http_running") === undefined) {
        collectDefaultMetrics({ register: registry });
        addGauges(registry, app, gate, live);
      }
      // Our own metrics first: those of the background take a connection to the database.
      const own = await registry.metrics();
      return `${histogramText(timings)}${busiest.text()}${own}${(await app.background?.()) ?? ""}`;
    },
  };
}

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

// A counter of our own takes 0.01 µs; a histogram of prom-client takes 0.35, of about 17 that a read takes.
class Timing {
  readonly counts = new Float64Array(bounds.length + 1);
  sum = 0;

  add(seconds: number): void {
    let i = 0;
    while (i < bounds.length && seconds > bounds[i]!) i++;
    this.counts[i]!++;
    this.sum += seconds;
  }
}

function histogramText(timings: ReadonlyMap<string, readonly Timing[]>): string {
  const name = "headwater_http_request_seconds";
  const lines = [`# HELP ${name} Time from the arrival of a request to its answer, by operation.`, `# TYPE ${name} histogram`];
  for (const [route, byStatus] of timings)
    byStatus.forEach(({ counts, sum }, status) => {
      const labels = `route="${route}",status="${status}"`;
      let total = 0;
      counts.forEach((count, i) => {
        total += count;
        lines.push(`${name}_bucket{${labels},le="${bounds[i] ?? "+Inf"}"} ${total}`);
      });
      lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${total}`);
    });
  return `${lines.join("\n")}\n`;
}

function addGauges(
  registry: Registry,
  { config, core, defects }: HttpApp,
  gate: Pick<Gate, "counts">,
  live: { readonly size: number },
): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge("headwater_http_running", "Requests that are being worked on.", () => gate.counts.running);
  gauge("headwater_http_waiting", "Requests that wait for their turn.", () => gate.counts.waiting);
  gauge("headwater_http_streams", "Open streams of events.", () => live.size);
  addDisk(registry, config.data_dir);
  new Counter({
    name: "headwater_unhandled_rejections_total",
    help: "Unhandled failures; each restarts the process.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(defects.count);
    },
  });
  const { db } = core;
  if (!("usage" in db)) return;
  const usage = db.usage as () => Usage;
  gauge("headwater_database_connections", "Open connections to the database.", () => usage().total);
  gauge("headwater_database_connections_idle", "Idle connections.", () => usage().idle);
  gauge("headwater_database_waiting", "Work that waits for a connection.", () => usage().waiting);
}

/** The embedded database, stored files and backups on their way lie there. Without the folder nothing is shown. */
function addDisk(registry: Registry, folder: string): void {
  const gauge = (name: string, help: string, read: (disk: { blocks: number; bavail: number; bsize: number }) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const disk = await statfs(folder).catch(() => null);
        if (disk !== null) this.set(read(disk));
      },
    });
  gauge("headwater_disk_bytes", "The size of the disk with DATA_DIR.", ({ blocks, bsize }) => blocks * bsize);
  gauge("headwater_disk_free_bytes", "What is free of it.", ({ bavail, bsize }) => bavail * bsize);
}
