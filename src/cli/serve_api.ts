// Serves the API from one process or several, and restarts it after a defect.
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { startProcesses } from "./api_processes.ts";
import { heedDefects, restartPauseMs } from "./defects.ts";
import { say } from "./say.ts";
import type { Serving } from "./serve.ts";

/** Opens the port and prints the address. */
export async function serveApi(config: Config, databaseUrl: string, log: Logger): Promise<Serving> {
  const start = config.web_concurrency > 1 ? startProcesses : serveAnew;
  const serving = await start(config, databaseUrl, log);
  say(`Listening on http://${shownHost(config.host)}:${serving.port} (documentation at /docs/)`);
  return serving;
}

/** Ctrl-C comes from a person who waits, and no load balancer moves clients elsewhere. So there is no delay. */
export const delayOf = (signal: string, config: Config): number => (signal === "SIGINT" ? 0 : config.shutdown_delay_seconds);

/**
 * The service in this process. After a defect it finishes running requests and opens everything again. The database keeps
 * running.
 */
async function serveAnew(config: Config, databaseUrl: string, log: Logger): Promise<Serving> {
  // Loaded here: neither a start that is refused nor the process above several others needs it.
  const { serve } = await import("./serve.ts");
  let stopping = false;
  let renewing: Promise<void> | null = null;
  const defects = heedDefects(log, () => {
    renewing ??= renew().finally(() => (renewing = null));
  });
  let service: Serving | null = await serve(config, databaseUrl, log, defects);
  const { port } = service;

  async function renew(): Promise<void> {
    await service?.stop(config.shutdown_delay_seconds);
    service = null;
    while (service === null && !stopping) {
      service = await serve({ ...config, port }, databaseUrl, log, defects).catch(async (error) => {
        log.error({ err: error }, "the service could not start again");
        await sleep(restartPauseMs);
        return null;
      });
    }
  }
  return {
    port,
    async stop(delaySeconds) {
      stopping = true;
      await renewing;
      await service?.stop(delaySeconds);
    },
  };
}

const shownHost = (host: string): string =>
  host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
