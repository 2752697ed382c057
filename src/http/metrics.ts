// What `/metrics` shows. The defaults of a process are collected from the first time someone asks, so that who never asks pays nothing.
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Core } from "../core/core.ts";
import type { Gate } from "./shed.ts";

export interface Metrics {
  observe(route: string, status: number, seconds: number): void;
  text(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(core: Core, gate: Gate): Metrics {
  const registry = new Registry();
  const seconds = new Histogram({
    name: "headwater_http_request_seconds",
    help: "Time from the arrival of a request to its answer, by operation.",
    labelNames: ["route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
  });
  // Looking up labels by name costs 0.3 µs more than keeping what was found.
  const kept = new Map<string, Histogram.Internal<"route" | "status">[]>();

  return {
    contentType: registry.contentType,
    observe(route, status, value) {
      let byStatus = kept.get(route);
      if (byStatus === undefined) kept.set(route, (byStatus = []));
      (byStatus[status] ??= seconds.labels(route, String(status))).observe(value);
    },
    text() {
      if (registry.getSingleMetric("headwater_http_running") === undefined) {
        collectDefaultMetrics({ register: registry });
        addGauges(registry, core, gate);
      }
      return registry.metrics();
    },
  };
}

function addGauges(registry: Registry, core: Core, gate: Gate): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge("headwater_http_running", "Requests at work.", () => gate.counts.running);
  gauge("headwater_http_waiting", "Requests that wait for a place.", () => gate.counts.waiting);
  const { db } = core;
  if (!("usage" in db)) return;
  const usage = db.usage as () => { total: number; idle: number; waiting: number };
  gauge("headwater_database_connections", "Open connections to the database.", () => usage().total);
  gauge("headwater_database_connections_idle", "Connections that nobody uses.", () => usage().idle);
  gauge("headwater_database_waiting", "Work that waits for a connection.", () => usage().waiting);
}
