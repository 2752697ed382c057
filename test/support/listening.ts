// Reads the port that a service in another process listens on.
import type { ChildProcess } from "node:child_process";

export function portOf(service: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = "";
    // Later output is read too, so that the process is never blocked by a full pipe.
    service.stdout!.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const port = /Listening on http:\/\/[^\s]*:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    service.once("exit", () => reject(new Error(`the service ended before it listened:\n${said}`)));
  });
}
