// The checks of `headwater doctor` for background work: whether a worker runs, what waits and since when, why things fail, and
// what to do.
import type pg from "pg";
import { type BackgroundState, backgroundState, backgroundStateOf } from "../auth/unscoped_state.ts";
import { longestMs, oldestWriteOf, oldestWriteQuery } from "../db/horizon.ts";

/** The thing that was checked, and what is wrong and what to do, or null. */
export type Line = [what: string, finding: string | null];

export async function examineBackground(client: pg.Client): Promise<Line[]> {
  const { rows: known } = await client.query(
    `select exists (select from pg_attribute where attrelid = to_regclass('organization') and attname = 'limit_percent') as present`,
  );
  if (!known[0].present) return [];
  const { text, values } = backgroundState(new Date());
  const { rows } = await client.query({ text, values, rowMode: "array" });
  // The driver has already parsed the JSON.
  const state = backgroundStateOf(rows.map(([what, json]) => [what, JSON.stringify(json)]));
  const { rows: writes } = await client.query({ text: oldestWriteQuery, rowMode: "array" });
  return [
    workers(state),
    ...state.jobs.map((one) => jobs(one, state.failures)),
    ...state.limited.map(limited),
    ...state.consumers.map(consumer),
    ...state.webhooks.filter(({ waiting }) => waiting > 0).map(webhooks),
    ...state.mail.map((one) => mail(one, state.mail_failures)),
    ...state.timers.filter(({ failures }) => failures > 0).map(timer),
    ...state.backups.map(backups),
    ...writes.map(write),
  ];
}

/** A worker reports every ten seconds that it is alive. */
const heardOfSeconds = 60;
/** Work that has been due for longer is late. */
const lateSeconds = 60;

/** So far a worker's clock may be ahead of this machine's. */
const aheadSeconds = 5;

function workers({ workers: all, jobs: kinds, timers }: BackgroundState): Line {
  const ahead = all.find(({ seen }) => seen < -aheadSeconds);
  if (ahead !== undefined)
    return [
      "workers",
      `${ahead.pid} on ${ahead.host} was heard of in ${shown(-ahead.seen)}: a clock is wrong, or was set back; let all machines follow NTP`,
    ];
  const living = all.filter(({ seen }) => seen < heardOfSeconds);
  if (living.length > 0) return [`workers: ${living.map(({ host, pid }) => `${pid} on ${host}`).join(", ")}`, null];
  const due = [...kinds.map(({ oldest }) => oldest ?? 0), ...timers.map(({ late }) => late)];
  return Math.max(0, ...due) < lateSeconds
    ? ["workers: none, and nothing is late", null]
    : ["workers", "no worker runs: start `headwater worker`, or `headwater start` for both"];
}

function jobs(
  { kind, ready, scheduled, claimed, oldest, failing, crashed, most_of, most }: BackgroundState["jobs"][number],
  failures: BackgroundState["failures"],
): Line {
  const what = `jobs of ${kind}: ${ready} ready, ${claimed} at work, ${scheduled} later`;
  const reasons = failures.filter((one) => one.kind === kind).map(({ reason, count }) => `${count} × "${reason}"`);
  const wrong = [
    failing > 0 && `${failing} failed and will be retried (${reasons.join(", ")})`,
    crashed > 0 && `a worker ended in the middle of ${crashed}: look at its log`,
    oldest !== null &&
      oldest > lateSeconds &&
      `the oldest has been due for ${shown(oldest)}${most_of === null ? "" : ` (${most} of those ready are of ${most_of})`}: start more workers, or look at their log`,
  ].filter((one) => one !== false);
  return [what, wrong.length === 0 ? null : wrong.join("; ")];
}

/** What the operator did is no error. */
const limited = ({ organization_id, name, percent, jobs }: BackgroundState["limited"][number]): Line => [
  percent === 0
    ? `suspended by you: ${organization_id} (${name}), ${jobs} jobs wait`
    : `limited by you to ${percent} %: ${organization_id} (${name}), ${jobs} jobs`,
  null,
];

function consumer({ name, events, oldest }: BackgroundState["consumers"][number]): Line {
  if (oldest === null || oldest < lateSeconds) return [`reader of the log ${name}: ${events} events behind`, null];
  return [
    `reader of the log ${name}`,
    `${events} events behind, the oldest of ${shown(oldest)} ago: it waits for a worker, or for the transaction below that writes`,
  ];
}

/** A receiver that is down is its owner's concern, so this is no error. */
const webhooks = ({ waiting, oldest }: BackgroundState["webhooks"][number]): Line => [
  `webhooks: ${waiting} with deliveries that are not done, the oldest since ${shown(oldest ?? 0)}`,
  null,
];

function mail({ waiting, failing, failed }: BackgroundState["mail"][number], failures: BackgroundState["mail_failures"]): Line {
  const what = `system mail: ${waiting} to be sent`;
  if (failing + failed === 0) return [what, null];
  const reasons = failures.map(({ reason, count }) => `${count} × "${reason}"`).join(", ");
  const wrong = [
    failing > 0 && `${failing} failed and will be retried`,
    failed > 0 && `${failed} could not be sent within the last day, so invite again whom they did not reach`,
  ].filter((one) => one !== false);
  return [what, `${wrong.join("; ")} (${reasons}): check SMTP_URL and its server`];
}

const timer = ({ name, failures, latest_error }: BackgroundState["timers"][number]): Line => [
  `timer ${name}`,
  `failed ${failures} times in a row: "${latest_error}"`,
];

function write(row: string[]): Line {
  const { pid, application, seconds, statement } = oldestWriteOf(row);
  if (seconds * 1000 < longestMs) return ["transactions that write: none for long", null];
  return [
    "transactions that write",
    `"${application}" has written for ${shown(seconds)}, and webhooks and streams wait for it: \`${statement}\`. Let it finish, or run \`select pg_terminate_backend(${pid})\``,
  ];
}

const shown = (seconds: number): string =>
  seconds < 120
    ? `${Math.round(seconds)} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`;

function backups({ age, bytes, failures, latest_error }: BackgroundState["backups"][number]): Line {
  const last = age === null ? "no good one yet" : `the last good one is ${shown(age)} old and has ${bytes} bytes`;
  return [
    `backups: ${last}`,
    failures === 0 ? null : `${failures} failed since (${latest_error}): mend that, then run \`headwater backup\``,
  ];
}
