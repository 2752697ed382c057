// A real IMAP server in its own process. It makes mailboxes, fills them, and delivers to them when it is told.
import { startImapServer, type TestMailbox } from "../test/support/imap.ts";
import { letter } from "../test/support/letters.ts";

/** What the process is told; it answers with the logins of new mailboxes, or with the time of the delivery. */
export interface Told {
  make?: number;
  /** The number of messages that wait in the newest mailbox, from this many senders. */
  fill?: { count: number; senders: number };
  /** The position of the mailbox, in the order they were made. */
  deliver?: { at: number; sender: number };
}

export const senderAt = (n: number): string => `sender-${n}@customers.example`;

const message = (box: TestMailbox, n: number, sender: number): string =>
  letter({ from: senderAt(sender), to: box.address, subject: `Message ${n}`, text: "Dear all,\nsee below.\n".repeat(20) });

if (process.argv[1] === import.meta.filename) {
  const server = await startImapServer();
  const boxes: TestMailbox[] = [];
  process.on("message", async ({ make = 0, fill, deliver }: Told) => {
    const made = Array.from({ length: make }, () => server.mailbox());
    boxes.push(...made);
    const newest = boxes.at(-1)!;
    if (fill) newest.deliverAll(Array.from({ length: fill.count }, (_, n) => message(newest, n, n % fill.senders)));
    const at = Date.now();
    if (deliver) await boxes[deliver.at]!.deliver(message(boxes[deliver.at]!, at, deliver.sender));
    process.send!({ at, logins: made.map(({ address, login }) => ({ email: address, imap: login })) });
  });
  process.once("disconnect", async () => {
    await server.close();
    process.exit();
  });
}
