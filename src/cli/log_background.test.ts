// The log of an operator: what follows from a request is found by its id, from the API to the worker and the delivery.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDatabase } from "../../test/support/database.ts";
import { dataDir, launch, start, until } from "../../test/support/processes.ts";
import { receiver } from "../../test/support/receiver.ts";

test("the id of a request leads from the line of the API to those of its job, its call outside and its delivery", async (t) => {
  const database = await createDatabase();
  const hook = await receiver();
  t.after(() => hook.close());
  const key = "the-key-of-a-log-that-is-secret";
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir(),
    BOOTSTRAP_API_KEY: key,
    OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
    LOG_LEVEL: "debug",
  };
  const api = await start(env, "api");
  const worker = launch(["worker"], env);
  let text = "";
  for (const child of [api.child, worker]) child.stdout!.on("data", (piece) => (text += piece));
  const lines = (): any[] =>
    text.split("\n").flatMap((line) => (line.startsWith("{") && line.endsWith("}") ? JSON.parse(line) : []));
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(`${api.url}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    assert.ok(answer.status < 300, await answer.clone().text());
    return { id: answer.headers.get("x-request-id")!, body: (await answer.json()) as any };
  };

  const webhook = (await post("/webhook/", { url: `${hook.url}?token=hidden`, events: ["lead.created"] })).body;
  const lead = await post("/lead/", { name: "Bluth Company" });
  const test = await post(`/webhook/${webhook.id}/test/`, {});
  const of = (id: string) => lines().filter((one) => one.request_id === id);
  await until(() => of(lead.id).length >= 2 && of(test.id).some((one) => one.msg === "job"));

  const [request, delivery] = ["request", "delivery"].map((msg) => of(lead.id).find((one) => one.msg === msg));
  assert.deepEqual([request.route, request.status], ["lead.create", 201]);
  assert.deepEqual([delivery.event, delivery.webhook_id, delivery.status], ["lead.created", webhook.id, 200]);
  const job = of(test.id).find((one) => one.msg === "job");
  assert.deepEqual([job.job, job.object_id, job.end], ["webhook", webhook.id, "done"]);
  const call = of(test.id).find((one) => one.msg === "call");
  assert.deepEqual([call.method, call.host, call.status], ["POST", new URL(hook.url).host, 200]);
  assert.doesNotMatch(text, /hidden|the-key-of-a-log/);
  worker.kill("SIGTERM");
  await api.stop();
  await database.drop();
});
