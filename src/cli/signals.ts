// Handles signals: the first one asks for a clean stop, the second one ends the process.

// Not SIGHUP: an operator who starts the service with nohup wants it to stay.
const signals = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Handles the signals to end. During the start, a signal ends the process at once, because nothing is in progress. `asked` is
 * called once the service runs, and resolves with the name of the next signal. A second signal ends the process at once.
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
