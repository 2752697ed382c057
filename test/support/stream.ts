// Follows an event stream as a client does: over its own connection, keeping the id of the last event.
import assert from "node:assert/strict";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Workspace } from "./given.ts";

export interface Heard {
  id: string;
  event: string;
  data: any;
}

export class Listener {
  /** The received events, in order. */
  readonly heard: Heard[] = [];
  comments = 0;
  /** What a client sends as `Last-Event-ID` when it reconnects. */
  lastId = "";
  headers: http.IncomingHttpHeaders = {};
  status = 0;
  hasEnded = false;
  /** The connection broke in the middle of the response. */
  wasCut = false;
  private readonly request: http.ClientRequest;
  private answer: http.IncomingMessage | null = null;
  private text = "";

  constructor(ws: Workspace, query = "", lastId = "") {
    this.lastId = lastId;
    const authorization = `Basic ${Buffer.from(`${ws.key}:`).toString("base64")}`;
    const headers = { authorization, ...(lastId === "" ? {} : { "last-event-id": lastId }) };
    this.request = http.get(`${ws.service.url}/api/v1/event/stream/${query}`, { headers, agent: false }, (answer) => {
      this.answer = answer.setEncoding("utf8");
      this.status = answer.statusCode!;
      this.headers = answer.headers;
      answer.on("data", (piece: string) => this.read(piece));
      answer.on("error", () => (this.wasCut = true));
      answer.on("close", () => (this.hasEnded = true));
    });
    this.request.on("error", () => (this.hasEnded = true));
  }

  /** Waits until the stream is connected: its first message says where it starts. */
  async begun(): Promise<this> {
    await this.until(() => this.lastId !== "" && this.status === 200, "the stream begins");
    return this;
  }

  async until(holds: () => boolean, what = holds.toString()): Promise<void> {
    for (let i = 0; i < 3000 && !holds(); i++) await sleep(10);
    assert.ok(
      holds(),
      `${what}; heard ${this.heard.length}: ${JSON.stringify(this.heard.map((one) => one.event)).slice(0, 500)}`,
    );
  }

  async heardAll(count: number): Promise<Heard[]> {
    await this.until(() => this.heard.length >= count, `${count} events are heard`);
    return this.heard;
  }

  pause = (): unknown => this.answer?.pause();
  resume = (): unknown => this.answer?.resume();

  async close(): Promise<void> {
    this.request.destroy();
    await this.until(() => this.hasEnded, "the stream is closed");
  }

  /** By the standard, a block ends with an empty line, and a block without data carries only its id. */
  private read(piece: string): void {
    this.text += piece;
    const blocks = this.text.split("\n\n");
    this.text = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(
        block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      );
      if (fields.has("")) this.comments++;
      this.lastId = fields.get("id") ?? this.lastId;
      if (fields.has("data"))
        this.heard.push({ id: this.lastId, event: fields.get("event")!, data: JSON.parse(fields.get("data")!) });
    }
  }
}

/** Listens while `work` runs. */
export async function listening<T>(ws: Workspace, query: string, work: (one: Listener) => Promise<T>, lastId = ""): Promise<T> {
  const one = await new Listener(ws, query, lastId).begun();
  try {
    return await work(one);
  } finally {
    await one.close();
  }
}

export const namesOf = (heard: readonly Heard[]) => heard.map(({ event }) => event);
export const subjectsOf = (heard: readonly Heard[]) => heard.map(({ data }) => data.object_id);
