// A worker for tests, on a service's own core: with all background work of the service, or with what a test provides.
import { claimMs } from "../../src/jobs/job.ts";
import { type Background, openWorker, type Worker } from "../../src/jobs/worker.ts";
import { background } from "../../src/resources/background.ts";
import { settled } from "./feed.ts";
import type { Service } from "./service.ts";

export interface WorkerOptions {
  does?: Partial<Background>;
  /** Receives failures of background work. Without it, a failure fails the test. */
  failures?: Error[];
}

/**
 * Runs a worker during `work`. `drained` waits until everything is done that follows from all that was committed before. The worker has
 * no watches unless a test passes them.
 */
export async function withWorker<T>(
  { app, databaseUrl }: Service,
  work: (worker: Worker) => Promise<T>,
  { does = {}, failures }: WorkerOptions = {},
): Promise<T> {
  const heard: Error[] = failures ?? [];
  const worker = openWorker(app.core, { ...background, watches: [], ...does }, (error) => heard.push(error));
  const patient: Worker = {
    async drained() {
      await settled({ service: { databaseUrl } });
      await worker.drained();
    },
    stop: () => worker.stop(),
  };
  const answer = await work(patient).finally(() => worker.stop());
  if (failures === undefined && heard.length > 0) throw heard[0];
  return answer;
}

/** What two other workers do, by whose clocks the claims of a dead worker have expired, until it is done. The clock stays there. */
export async function finishLater(service: Service, isDone: () => Promise<boolean> | boolean): Promise<void> {
  let now = Date.now() + claimMs + 31_000;
  for (let round = 0; round === 0 || !(await isDone()); round++, now += 10_000) {
    if (round === 100) throw new Error("it was not done within a quarter of an hour");
    service.clock.now = new Date(now);
    await withTwoWorkers(service, (both) => both.drained());
  }
}

/** The same with two workers side by side. Both are drained at once, including work that one leaves to the other. */
export const withTwoWorkers = <T>(
  service: Service,
  work: (both: Pick<Worker, "drained">) => Promise<T>,
  options: WorkerOptions = {},
): Promise<T> =>
  withWorker(
    service,
    (one) =>
      withWorker(
        service,
        (other) => work({ drained: async () => void (await Promise.all([one.drained(), other.drained()])) }),
        options,
      ),
    options,
  );
