// The background metrics of `/metrics`, read from the database, so that one scrape of one API process covers all workers.
import { type BackgroundState, readBackground } from "../auth/unscoped_state.ts";
import type { Core } from "../core/core.ts";
import { oldestWrite } from "../db/horizon.ts";

/** No metrics while the database is down. Other metrics show that. */
export async function backgroundMetrics({ db, clock }: Core): Promise<string> {
  try {
    const [state, write] = await Promise.all([readBackground(db, clock()), "askServer" in db ? oldestWrite(db as never) : null]);
    const oldest = metric("oldest_write_transaction_seconds", "Consumers of the log wait for it.", [[{}, write?.seconds]]);
    return [...metricsOf(state), oldest].join("");
  } catch {
    return "";
  }
}

const metricsOf = ({
  jobs,
  failures,
  consumers,
  webhooks,
  mail,
  timers,
  workers,
  backups,
  server,
}: BackgroundState): string[] => [
  metric(
    "jobs",
    "Jobs of each kind that are ready, scheduled, or claimed.",
    jobs.flatMap(({ kind, ready, scheduled, claimed }) =>
      Object.entries({ ready, scheduled, claimed }).map(([state, count]): Sample => [{ kind, state }, count]),
    ),
  ),
  metric(
    "job_oldest_seconds",
    "How long the oldest due job has waited.",
    jobs.map(({ kind, oldest }) => [{ kind }, oldest ?? 0]),
  ),
  metric(
    "jobs_crashed",
    "Jobs in the middle of which a worker ended.",
    jobs.map(({ kind, crashed }) => [{ kind }, crashed]),
  ),
  metric(
    "jobs_failing",
    "Jobs that are retried, by the most frequent reasons.",
    failures.map(({ kind, reason, count }) => [{ kind, reason }, count]),
  ),
  metric(
    "consumer_events_behind",
    "Events that a consumer of the log has not read, at most 1,000 of an organization.",
    consumers.map(({ name, events }) => [{ consumer: name }, events]),
  ),
  metric(
    "consumer_lag_seconds",
    "Age of the oldest event that a consumer of the log has not read.",
    consumers.map(({ name, oldest }) => [{ consumer: name }, oldest ?? 0]),
  ),
  metric(
    "webhooks_waiting",
    "Active webhooks with open deliveries.",
    webhooks.map(({ waiting }) => [{}, waiting]),
  ),
  metric(
    "webhook_lag_seconds",
    "Age of the oldest open delivery of an active webhook.",
    webhooks.map(({ oldest }) => [{}, oldest ?? 0]),
  ),
  metric(
    "system_mail",
    "System mail that waits, that the server has not accepted yet, or that could not be sent within the last day.",
    mail.flatMap(({ waiting, failing, failed }) =>
      Object.entries({ waiting, failing, failed }).map(([state, count]): Sample => [{ state }, count]),
    ),
  ),
  metric(
    "timer_late_seconds",
    "How late a timer is.",
    timers.map(({ name, late }) => [{ timer: name }, late]),
  ),
  metric(
    "timer_failures",
    "How often in a row a timer failed.",
    timers.map(({ name, failures: count }) => [{ timer: name }, count]),
  ),
  metric("workers", "Workers that have reported within a minute.", [[{}, workers.filter(({ seen }) => seen < 60).length]]),
  metric(
    "database_bytes",
    "The size of the database.",
    server.map(({ bytes }) => [{}, bytes]),
  ),
  metric(
    "database_server_connections",
    "Connections to the PostgreSQL server, of any program, and how many it allows.",
    server.flatMap(({ connections, connections_most }): Sample[] => [
      [{ state: "open" }, connections],
      [{ state: "allowed" }, connections_most],
    ]),
  ),
  metric(
    "backup_age_seconds",
    "How long ago the last good scheduled backup began. Infinite: there is none.",
    backups.map(({ age }) => [{}, age ?? Number.POSITIVE_INFINITY]),
  ),
  metric(
    "backup_bytes",
    "The size of the last good scheduled backup.",
    backups.map(({ bytes }) => [{}, bytes]),
  ),
  metric(
    "backup_failures",
    "Scheduled backups that failed since the last good one.",
    backups.map(({ failures: count }) => [{}, count]),
  ),
  metric("worker_unhandled_rejections", "Unhandled failures of living workers.", [
    [{}, workers.reduce((sum, { defects }) => sum + defects, 0)],
  ]),
];

type Sample = [labels: Record<string, string>, value: number | null | undefined];

/** Without samples it has its heading, so that a scrape says at any time what there is. */
function metric(name: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `headwater_${name}${shown(labels)} ${numberOf(value ?? 0)}\n`);
  return `# HELP headwater_${name} ${help}\n# TYPE headwater_${name} gauge\n${lines.join("")}`;
}

const shown = (labels: Record<string, string>): string => {
  const all = Object.entries(labels).map(([key, value]) => `${key}="${value.replace(/[\\"\n]/g, (one) => escapes[one]!)}"`);
  return all.length === 0 ? "" : `{${all.join()}}`;
};

/** As Prometheus writes it. */
const numberOf = (value: number): string => (value === Number.POSITIVE_INFINITY ? "+Inf" : String(value));

const escapes: Record<string, string> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };
