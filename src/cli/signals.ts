// Ending: the first signal asks for it, the second gets it.

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Settles with the first signal to end. A second one ends the process at once; so does the first while it is still starting. */
export function onStop(): Promise<void> & { started(): void } {
  return Object.assign(
    new Promise<void>((resolve) => {
      let asked = false;
      for (const [signal, code] of Object.entries(signals)) {
        process.on(signal, () => {
          if (asked) process.exit(code);
          asked = true;
          resolve();
        });
      }
    }),
    { started() {} },
  );
}
