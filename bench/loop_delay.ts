// Loaded into a service that is measured: answers SIGUSR2 with the longest time its event loop was held since it was asked last.
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on("SIGUSR2", () => {
  process.stdout.write(`held ${(delay.max / 1e6).toFixed(1)}\n`);
  delay.reset();
});
