// Opening connections on a machine that is busy.

const triesMost = 3;

/**
 * Opens a connection. PostgreSQL starts a process for each, which may take longer than the limit while others are answered: then it is
 * tried again. A database that does not answer at all is not waited for.
 */
export async function opened<T>(open: () => Promise<T>, isAlive: () => boolean): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await open();
    } catch (error) {
      if (tries === triesMost || !isLateOpening(error) || !isAlive()) throw error;
    }
  }
}

function isLateOpening(error: unknown): boolean {
  const { message, cause } = error as Error;
  return /timeout/.test(message) || (cause instanceof Error && /timeout/.test(cause.message));
}
