// Loaded into a measured service: on SIGUSR2 it reports the longest event-loop delay since the last report.
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on("SIGUSR2", () => {
  process.stdout.write(`held ${(delay.max / 1e6).toFixed(1)}\n`);
  delay.reset();
});
