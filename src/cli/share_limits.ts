// Divides the rate limits among all processes of the API, on this machine and others: each counts by itself, so that no request waits
// for another machine.
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { listening } from "../db/listen.ts";
import type { PostgresDatabase } from "../db/pool.ts";

/** How often it looks how many there are. */
const lookMs = 3000;

/** Each process of the API listens for announcements, and PostgreSQL knows at once when one has gone. */
async function countProcesses(db: PostgresDatabase): Promise<number> {
  const [row] = await db.askServer({
    name: "processes.count",
    text: "select count(*) from pg_stat_activity where datname = current_database() and application_name = $1",
    values: [listening.api],
  });
  return Math.max(1, Number(row![0]));
}

/** Returns a function that ends it. While the database does not answer, everybody keeps their part. */
export async function shareLimits(server: FastifyInstance, db: PostgresDatabase, log: Logger): Promise<() => void> {
  const { limiter } = server.service;
  if (limiter === null) return () => {};
  const look = () =>
    countProcesses(db).then(
      (count) => limiter.share(count),
      (error) => log.warn({ err: error }, "could not count the processes of the API"),
    );
  await look();
  const timer = setInterval(() => void look(), lookMs);
  timer.unref();
  return () => clearInterval(timer);
}
