// Traces as an operator gets them: a collector takes them from the API and the worker, as real processes.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createDatabase } from "../../test/support/database.ts";
import { dataDir, launch, start, until } from "../../test/support/processes.ts";
import { receiver } from "../../test/support/receiver.ts";

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string } }[];
}

const attributeOf = (span: Span, name: string) => span.attributes.find(({ key }) => key === name)?.value.stringValue;

test("a trace shows a request with its statements within the caller's trace, and a job with its call outside, and no secret", async () => {
  const [spans, texts]: [Span[], string[]] = [[], []];
  const collector = createServer((request, response) => {
    let text = "";
    request.on("data", (piece) => (text += piece));
    request.on("end", () => {
      texts.push(text);
      for (const { scopeSpans } of JSON.parse(text).resourceSpans) spans.push(...scopeSpans.flatMap((one: any) => one.spans));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  const database = await createDatabase();
  const hook = await receiver();
  const key = "the-key-of-a-trace-that-is-secret";
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir(),
    BOOTSTRAP_API_KEY: key,
    OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_SERVICE_NAME: "crm",
    OTEL_BSP_SCHEDULE_DELAY: "200",
  };
  const api = await start(env, "api");
  const worker = launch(["worker"], env);
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const post = (path: string, body: object) =>
    fetch(`${api.url}/api/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
      },
      body: JSON.stringify(body),
    });

  await post("/webhook/", { url: `${hook.url}?token=hidden`, events: [{ object_type: "lead", action: "created" }] });
  const answer = await post("/lead/", { name: "Bluth Company" });
  const requestId = answer.headers.get("x-request-id");
  await until(() => hook.received.length > 0);
  const request = () => spans.find((one) => attributeOf(one, "headwater.request_id") === requestId);
  const call = () =>
    spans.find(({ name, attributes }) => name === "POST" && attributes.some(({ key }) => key === "server.address"));
  await until(() => request() !== undefined && call() !== undefined);
  const job = () => spans.find(({ spanId }) => spanId === call()!.parentSpanId);
  await until(() => job() !== undefined);

  assert.equal(answer.status, 201);
  assert.equal(request()!.traceId, traceId);
  const statements = spans.filter(({ parentSpanId }) => parentSpanId === request()!.spanId);
  assert.ok(statements.length > 1, JSON.stringify(statements));
  assert.match(job()!.name, /^job /);
  assert.match(hook.received[0]!.headers.traceparent!, new RegExp(`^00-${call()!.traceId}-`));
  for (const secret of [key, "hidden", "Bluth"]) assert.ok(!texts.join().includes(secret), secret);
  assert.match(texts.join(), /"crm"/);
  worker.kill("SIGTERM");
  await api.stop();
  collector.close().closeAllConnections();
  await database.drop();
});
