// What the measurements of many records share.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { App } from "../src/app.ts";
import type { Create } from "../src/core/resource.ts";
import { asService } from "../src/records/acting.ts";
import type { lead } from "../src/resources/leads/lead.ts";
import { createLeads } from "../src/resources/leads/lead_verbs.ts";
import { newId } from "../src/values/id.ts";
import type { Organization, Stand } from "./stand.ts";

export type Request = (method: string, path: string, body?: object) => Promise<any>;

export interface ManyBench extends Stand {
  organization: Organization;
  sql: pg.Client;
  request: Request;
}

/** A worker takes so many records in a transaction. */
export const batch = 200;

export const asking =
  (url: string, { key }: Organization): Request =>
  async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };

export async function makeLeads({ core }: App, { id, userId }: Organization, count: number): Promise<void> {
  const made = (n: number) => ({ name: `Acme ${n}`, description: "Makes anvils and more. ".repeat(5), industry: "Steel" });
  for (let from = 0; from < count; from += 1000) {
    const all = Array.from({ length: Math.min(1000, count - from) }, (_, i) => made(from + i) as Create<typeof lead>);
    await asService(core, id, userId, { id: newId("req"), method: "", path: "bench" }, (ctx) => createLeads(ctx, all));
  }
}

/** Looks until the work is done. */
export async function ended(look: () => Promise<any>): Promise<any> {
  for (;;) {
    const found = await look();
    if (found.status === "error" || found.status === "failed") throw new Error(found.error);
    if (found.status === "done") return found;
    await sleep(50);
  }
}
