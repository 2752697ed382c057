// Ending: the first signal asks for it, the second gets it.

// Not SIGHUP: who starts the service with nohup means it to stay.
const signals = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Heeds the signals to end. While the service starts, one ends the process at once: nothing is under way. `asked` is called when it
 * runs and settles with the first signal from then on, and its name; a second ends the process at once.
 */
export function heedSignals(): { asked(): Promise<string> } {
  let ask: ((signal: string) => void) | null = null;
  for (const [signal, code] of Object.entries(signals)) {
    process.on(signal, () => {
      if (ask === null) process.exit(code);
      ask(signal);
      ask = null;
    });
  }
  return { asked: () => new Promise((resolve) => (ask = resolve)) };
}
