// Moves the clock and runs what is due.
import type { Timer } from "../../src/jobs/timer.ts";
import { timers } from "../../src/resources/timers.ts";
import type { Service } from "./service.ts";
import { withTwoWorkers } from "./worker.ts";

let turns = 0;

/**
 * At this moment two workers run the timer of this name, in turns and both at once. Each effect must happen only once. A new name
 * for the timer makes it fire now, whenever it fired before. The clock stays where it is.
 */
export async function atMoment(service: Service, moment: string, name: Timer["name"]): Promise<void> {
  const timer = timers.find((one) => one.name === name);
  if (timer === undefined) throw new Error(`there is no timer ${name}`);
  const does = { works: [], consumers: [], timers: [{ ...timer, name: `${name} ${process.pid} ${++turns}` }] };
  service.clock.now = new Date(moment);
  await withTwoWorkers(service, (both) => both.drained(), { does });
  const { core } = service.app;
  await Promise.all([timer.run(core), timer.run(core)]);
}
