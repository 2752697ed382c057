// A service in a process of its own listens on any port that is free, and says which.
import type { ChildProcess } from "node:child_process";

export function portOf(service: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = "";
    // What it says later is read too, so that it never waits for us.
    service.stdout!.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const port = /Listening on http:\/\/[^\s]*:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    service.once("exit", () => reject(new Error(`the service ended before it listened:\n${said}`)));
  });
}
