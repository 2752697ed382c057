// A mail server, and a service that sends by it, for the tests of a file.
import { after, beforeEach } from "node:test";
import { type Service, startService } from "./service.ts";
import { type MailServer, startMailServer } from "./smtp.ts";

/**
 * Before each test the mail server accepts mail again, and the clock is the real one. With `daysApart`, each test starts that many
 * days after the previous one instead, because timers must not see the clock go back.
 */
export async function serviceWithMail({ daysApart }: { daysApart?: number } = {}): Promise<{ mail: MailServer; on: Service }> {
  const mail = await startMailServer();
  const on = await startService({ env: mail.env });
  after(async () => {
    await on.close();
    await mail.close();
  });
  let tests = 0;
  beforeEach(() => {
    mail.refuses = null;
    mail.beforeReceipt = null;
    on.clock.now = daysApart === undefined ? null : new Date(Date.UTC(2031, 0, 1 + daysApart * tests++, 10));
  });
  return { mail, on };
}
