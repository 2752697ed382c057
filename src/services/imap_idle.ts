// Listens to a mailbox by IDLE: over an open connection, the server announces new messages at once.
import { setTimeout as sleep } from "node:timers/promises";
import type { ImapFlow } from "imapflow";
import { clientFor, type MailboxLogin, problemOf } from "./imap.ts";
import type { PublicAddresses } from "./public_address.ts";

export interface Listening {
  /** The state of the Inbox when listening started. */
  uidValidity: bigint;
  uidNext: number;
  /** Resolves when the connection has ended, for whatever reason. */
  ended: Promise<void>;
  close(): void;
}

/** Servers end an IDLE after half an hour. It is renewed this often, which also shows whether the server is still there. */
const idleMs = 9 * 60_000;
const silenceMs = 10 * 60_000;

/** Compression would take more memory for each connection than everything else. */
const quiet = { maxIdleTime: idleMs, socketTimeout: silenceMs, disableCompression: true } as const;

/**
 * Listens to the Inbox. Null when the server has no IDLE. Throws `MailboxError` when it cannot be opened. An aborted `signal`
 * ends the attempt.
 */
export async function listenAt(
  addresses: PublicAddresses,
  login: MailboxLogin,
  onNews: () => void,
  signal: AbortSignal,
): Promise<Listening | null> {
  const client = await clientFor(addresses, login, quiet);
  let isOpen = true;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  client.once("close", () => {
    isOpen = false;
    end();
  });
  const close = () => client.close();
  client.on("error", close);
  signal.addEventListener("abort", close);
  try {
    signal.throwIfAborted();
    await client.connect();
    const { uidValidity, uidNext } = await client.mailboxOpen("INBOX", { readOnly: true });
    if (!client.capabilities.has("IDLE")) {
      close();
      return null;
    }
    client.on("exists", ({ count, prevCount }) => count > prevCount && onNews());
    void idle(client, () => isOpen).finally(close);
    return { uidValidity, uidNext, ended, close };
  } catch (error) {
    close();
    throw problemOf(error as never);
  } finally {
    signal.removeEventListener("abort", close);
  }
}

/** If the server refuses to continue at once, it is not asked again and again. */
const briefMs = 1000;

async function idle(client: ImapFlow, isOpen: () => boolean): Promise<void> {
  while (isOpen()) {
    const began = performance.now();
    const went = await client.idle().catch(() => false);
    if (went === false) return;
    if (performance.now() - began < briefMs) await sleep(briefMs);
  }
}
