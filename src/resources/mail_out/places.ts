// Limits how many mails are sent by one mailbox at once. The others wait for a moment and then let other mailboxes' mail go
// first, so that a slow server holds up nobody else.
import type { Core } from "../../core/core.ts";

/** The most at once to one server. Servers treat more as an attack. */
export const placesMost = 3;
const patienceMs = 2_000;

interface Mailbox {
  taken: number;
  waiting: Set<() => void>;
}

const mailboxes = new WeakMap<Core, Map<string, Mailbox>>();

/** Returns a function that frees the place. Null when none became free. */
export async function takePlace(core: Core, name: string): Promise<(() => void) | null> {
  const all = mailboxes.get(core) ?? new Map<string, Mailbox>();
  mailboxes.set(core, all);
  const mailbox = all.get(name) ?? { taken: 0, waiting: new Set() };
  all.set(name, mailbox);
  if (mailbox.taken >= placesMost && !(await becomesFree(mailbox))) return null;
  mailbox.taken++;
  return () => {
    mailbox.taken--;
    const [next] = mailbox.waiting;
    next?.();
    if (mailbox.taken === 0 && mailbox.waiting.size === 0) all.delete(name);
  };
}

function becomesFree({ waiting }: Mailbox): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isFree: boolean) => {
      clearTimeout(timer);
      waiting.delete(called);
      resolve(isFree);
    };
    const called = () => end(true);
    const timer = setTimeout(() => end(false), patienceMs);
    waiting.add(called);
  });
}
