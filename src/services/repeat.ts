// What the service does by itself again and again, such as sweeping.

export interface Repeated {
  /** Waits for what is under way. */
  stop(): Promise<void>;
}

/** Does it now, and so often from now on; never twice at once. */
export function repeat(work: () => Promise<void>, everyMs: number, onError: (error: Error) => void = () => {}): Repeated {
  let running: Promise<void> | null = null;
  const act = () => {
    running ??= work()
      .catch(onError)
      .finally(() => (running = null));
  };
  act();
  const timer = setInterval(act, everyMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
