// A mail server in a process of its own: it takes whatever comes, and counts it.
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** What came since it was asked last, from the first to the last in milliseconds of the clock. */
export interface Taken {
  count: number;
  from: number;
  to: number;
}

const none = (): Taken => ({ count: 0, from: 0, to: 0 });
let taken = none();

if (process.argv[1] === import.meta.filename) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    logger: false,
    onData(stream, _session, done) {
      stream.resume();
      stream.on("end", () => {
        const now = Date.now();
        if (taken.count++ === 0) taken.from = now;
        taken.to = now;
        done();
      });
    },
  });
  process.once("disconnect", () => process.exit());
  process.on("message", (asked: "listen" | "report") => {
    if (asked === "listen")
      return void server.listen(0, "127.0.0.1", () => process.send!((server.server.address() as AddressInfo).port));
    process.send!(taken);
    taken = none();
  });
}
