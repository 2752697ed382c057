// Readers of the event stream in their own process: opens connections and reports how old each event was on arrival.
import http from "node:http";

export interface Readers {
  url: string;
  headers: Record<string, string>;
  count: number;
}

let ages: number[] = [];

function read({ url, headers }: Readers): Promise<void> {
  return new Promise((resolve, reject) => {
    http
      .get(`${url}/api/v1/event/stream/`, { headers: { ...headers, accept: "text/event-stream" }, agent: false }, (answer) => {
        if (answer.statusCode !== 200) return reject(new Error(`the stream answered ${answer.statusCode}`));
        answer.setEncoding("utf8").on("data", (text: string) => {
          const now = Date.now();
          // A new lead and its event have the same time, so the first date in the text is right.
          for (const [, made] of text.matchAll(/^data: .*?"date_created":"([^"]+)"/gm)) ages.push(now - Date.parse(made!));
        });
        resolve();
      })
      .on("error", reject);
  });
}

if (process.argv[1] === import.meta.filename) {
  process.once("disconnect", () => process.exit());
  process.on("message", async (asked: Readers | "report") => {
    if (asked === "report") {
      process.send!(ages);
      ages = [];
      return;
    }
    for (let i = 0; i < asked.count; i++) await read(asked);
    process.send!("open");
  });
}
