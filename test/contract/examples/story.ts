// Tells a story to a live service, in which every operation is asked for once as a client would, and keeps what was asked and answered.
import assert from "node:assert/strict";
import type { Operation } from "../../../src/core/operation.ts";
import { findOperation } from "../../support/client.ts";
import type { Workspace } from "../../support/given.ts";
import { withWorker } from "../../support/worker.ts";

export interface Told {
  request: { path: string; query?: Record<string, string>; body?: unknown };
  response: { status: number; body: unknown };
  /** The names of the events that the request left. */
  events: string[];
}

interface How {
  query?: Record<string, string>;
  /** Who asks; by default the person whose story it is. */
  as?: Workspace;
}

export class Story {
  readonly ws: Workspace;
  readonly told = new Map<string, Told>();

  constructor(ws: Workspace) {
    this.ws = ws;
  }

  operation(name: string): Operation {
    const found = this.ws.service.app.core.registry.operation(name);
    assert.ok(found, `there is no operation ${name}`);
    return found;
  }

  /** Asks an operation and keeps it as its example. Returns the answer. */
  async show(name: string, path: string, body?: unknown, { query, as = this.ws }: How = {}): Promise<any> {
    const { method } = this.operation(name);
    const asked = `${path}${query === undefined ? "" : `?${new URLSearchParams(query)}`}`;
    assert.equal(findOperation(as.service.app.core.registry.operations, method, path)?.name, name, `${method} ${path}`);
    const { status, body: answer, text, headers } = await as.ask(method, asked, body === undefined ? {} : { body });
    assert.ok(status < 300, `${name}: ${method} ${asked} answered ${status}: ${text.slice(0, 1000)}`);
    const events = method === "GET" ? [] : await this.eventsOf(as, headers.get("x-request-id")!);
    const request = { path, ...(query && { query }), ...(body !== undefined && { body }) };
    this.told.set(name, { request, response: { status, body: answer ?? text }, events });
    return answer ?? text;
  }

  private async eventsOf(ws: Workspace, request: string): Promise<string[]> {
    const answer = await ws.ask("GET", `/event/?request_id=${request}&_fields=event`);
    // Whoever deleted their own organization asks no more.
    return answer.status === 200 ? [...new Set<string>(answer.body.data.map((one: any) => one.event))].sort() : [];
  }

  /** The verbs of a resource, as far as it has them: a record is created, listed, read and changed, and another is deleted. */
  async five(of: string, path: string, create: object, { change, spare, query }: Five = {}): Promise<any> {
    const record = await this.show(`${of}.create`, path, create);
    const own = `${path}${record.id}/`;
    if (this.has(`${of}.list`)) await this.show(`${of}.list`, path, undefined, { query: query ?? { _limit: "2" } });
    if (this.has(`${of}.get`)) await this.show(`${of}.get`, own);
    const now = this.has(`${of}.update`) && change !== undefined ? await this.show(`${of}.update`, own, change) : record;
    if (this.has(`${of}.delete`) && spare !== undefined) {
      const other = await this.ws.post(path, { ...create, ...spare });
      await this.show(`${of}.delete`, `${path}${other.id}/`);
    }
    return { ...record, ...now };
  }

  private has = (name: string): boolean => this.ws.service.app.core.registry.operation(name) !== undefined;

  /** Does all that follows in the background from what was told so far. */
  work = (): Promise<void> =>
    withWorker(this.ws.service, async (worker) => {
      for (let i = 0; i < 2; i++) await worker.drained();
    });
}

interface Five {
  change?: object;
  /** What another record has otherwise, which is then deleted. Without it nothing is. */
  spare?: object;
  query?: Record<string, string>;
}
