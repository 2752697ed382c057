// A service in its own process, so that a test can measure how much memory its work takes. Forked by the test; see `Measured`.
import { fork } from "node:child_process";
import { once } from "node:events";
import { organization } from "./given.ts";
import { startService } from "./service.ts";

export interface Measured {
  url: string;
  key: string;
  /** By how many megabytes the process grew at most during `work`. */
  raisedBy(work: () => Promise<unknown>): Promise<number>;
  stop(): Promise<void>;
}

export async function measuredService(env: Record<string, string> = {}): Promise<Measured> {
  const child = fork(import.meta.filename, [JSON.stringify(env)], { env: { ...process.env, NODE_TEST_CONTEXT: undefined } });
  const answer = async () => (await once(child, "message"))[0] as any;
  const { url, key } = await answer();
  return {
    url,
    key,
    async raisedBy(work) {
      child.send("begin");
      await answer();
      await work();
      child.send("end");
      return answer();
    },
    async stop() {
      child.send("stop");
      await once(child, "exit");
    },
  };
}

if (process.argv[1] === import.meta.filename) {
  const service = await startService({ env: JSON.parse(process.argv[2]!) });
  const { key } = await organization(service);
  const megabytes = () => process.memoryUsage.rss() / 1024 / 1024;
  let before = 0;
  let most = 0;
  setInterval(() => (most = Math.max(most, megabytes())), 10);
  process.on("message", async (message) => {
    if (message === "begin") process.send!((before = most = megabytes()));
    if (message === "end") process.send!(most - before);
    if (message === "stop") {
      await service.close();
      process.exit();
    }
  });
  process.send!({ url: service.url, key });
}
