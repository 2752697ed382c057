// A client as a user has one: it speaks HTTP, and checks every response of every test against the OpenAPI description.
import assert from "node:assert/strict";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Operation } from "../../src/core/operation.ts";
import { statusesOf } from "../../src/http/openapi.ts";
import { dryRunAnswer } from "../../src/records/dry_run.ts";
import { checkReason } from "./reasons.ts";
import type { Service } from "./service.ts";

export interface Answer {
  status: number;
  headers: Headers;
  body: any;
  text: string;
}

export interface Ask {
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent as the body, unchanged. */
  raw?: string;
}

/**
 * The number of reads that were refused for now and repeated. This is rare on a busy machine; if not, the service refuses too
 * much.
 */
const refusals: string[] = [];
const handful = 5;
after(() => assert.ok(refusals.length <= handful, `${refusals.length} reads were refused with 503: ${refusals.join(" ")}`));

export class Client {
  readonly service: Service;
  readonly key: string;
  /** False when the sent text would fail the check of wording, because reasons repeat it. */
  readsReasons = true;

  constructor(service: Service, key: string) {
    this.service = service;
    this.key = key;
  }

  /** Sends a request and returns the response, checked against the description. */
  async ask(method: string, path: string, { body, headers = {}, raw }: Ask = {}): Promise<Answer> {
    const send = () =>
      fetch(`${this.service.url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Basic ${Buffer.from(`${this.key}:`).toString("base64")}`,
          ...(body === undefined && raw === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
      });
    let response = await send();
    // A busy machine refuses for now what it has no time to start. A reader asks again, as `retry-after` says.
    if (method === "GET" && response.status === 503) {
      refusals.push(path);
      await sleep(1000);
      response = await send();
    }
    const text = await textOf(response);
    const answer = { status: response.status, headers: response.headers, text, body: text === "" ? null : parsed(text) };
    checkAnswer(this.service.app.core.registry.operations, method, path, answer, this.readsReasons);
    return answer;
  }

  get = (path: string, headers?: Record<string, string>): Promise<any> => this.succeed("GET", path, { headers });
  post = (path: string, body: unknown = {}, headers?: Record<string, string>): Promise<any> =>
    this.succeed("POST", path, { body, headers });
  put = (path: string, body: unknown = {}, headers?: Record<string, string>): Promise<any> =>
    this.succeed("PUT", path, { body, headers });
  delete = (path: string, headers?: Record<string, string>): Promise<any> => this.succeed("DELETE", path, { headers });

  private async succeed(method: string, path: string, ask: Ask): Promise<any> {
    const answer = await this.ask(method, path, ask);
    assert.ok(answer.status < 300, `${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 2000)}`);
    return answer.body;
  }

  /** `await refused(404, "GET", "/lead/…/")` returns the error's body. `field`, if given, must be among its field-errors. */
  async refused(status: number, method: string, path: string, body?: unknown, field?: string): Promise<any> {
    const answer = await this.ask(method, path, { body });
    assert.equal(answer.status, status, `${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 2000)}`);
    if (field !== undefined) assert.ok(field in answer.body["field-errors"], `no reason for ${field} in ${answer.text}`);
    return answer.body;
  }

  /** Every record of a list, page by page. */
  async all(path: string): Promise<any[]> {
    const join = path.includes("?") ? "&" : "?";
    const records: any[] = [];
    for (let cursor = ""; ; ) {
      const page = await this.get(`${path}${cursor && `${join}_cursor=${cursor}`}`);
      records.push(...page.data);
      if (!page.has_more) return records;
      cursor = page.cursor_next;
    }
  }

  /** The events of an object, oldest first. */
  async events(objectId: string): Promise<any[]> {
    return (await this.get(`/event/?object_id=${objectId}`)).data.reverse();
  }
}

/** The first chunk of a response that stays open. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response.text();
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return Buffer.from(value ?? []).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checkAnswer(
  operations: readonly Operation[],
  method: string,
  path: string,
  answer: Answer,
  readsReasons: boolean,
): void {
  const operation = findOperation(operations, method, path.split("?")[0]!);
  if (operation !== undefined && !statusesOf(operation).includes(answer.status))
    assert.fail(`${method} ${path} answered ${answer.status}, which ${operation.name} does not describe: ${answer.text}`);
  if (answer.status >= 500) assert.fail(`${method} ${path} answered ${answer.status}: ${answer.text}`);
  if (answer.status >= 400) {
    assert.deepEqual(
      Object.keys(answer.body)
        .sort()
        .filter((key) => key !== "rate_reset" && key !== "errors"),
      ["error", "field-errors"],
      `the error of ${method} ${path}`,
    );
    assert.equal(typeof answer.body.error, "string");
    const reasons = Object.entries(answer.body["field-errors"]);
    for (const [place, reason] of reasons) {
      assert.equal(typeof reason, "string");
      if (readsReasons) checkReason(place, reason as string);
    }
    return;
  }
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  if (operation === undefined || !isJson || answer.status === 304 || /[?&]_fields=/.test(path) || answer.body === null) return;
  const isDry = /[?&]dry_run=true/.test(path) && !operation.previews;
  const result = (isDry ? dryRunAnswer : operation.output).safeParse(answer.body);
  if (!result.success)
    assert.fail(
      `${method} ${path} answered what ${operation.name} does not describe: ${result.error}\n${answer.text.slice(0, 3000)}`,
    );
}

const patterns = new WeakMap<Operation, RegExp>();

/** The operation that a request reaches. A literal path wins over a parameter. */
export function findOperation(operations: readonly Operation[], method: string, path: string): Operation | undefined {
  const found = operations.filter(
    (operation) => operation.method === method && patternOf(operation).test(path.endsWith("/") ? path : `${path}/`),
  );
  return found.sort((a, b) => a.path.split("{").length - b.path.split("{").length)[0];
}

function patternOf(operation: Operation): RegExp {
  let pattern = patterns.get(operation);
  if (pattern === undefined)
    patterns.set(operation, (pattern = new RegExp(`^${operation.path.replace(/\{[^}]+\}/g, "[^/]+")}$`)));
  return pattern;
}
