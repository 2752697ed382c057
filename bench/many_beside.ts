// What a bulk edit, an import and an export of one organization cost the requests and the bulk work of another.
import type { App } from "../src/app.ts";
import type { Answers } from "./crowd.ts";
import { asking, ended, makeLeads } from "./many_bench.ts";
import type { Organization } from "./stand.ts";

export interface Beside {
  app: App;
  url: string;
  busy: Organization;
  other: Organization;
  /** The other organization asks for a few seconds. */
  crowd(): Promise<Answers>;
}

export interface BesideFigures {
  idle: Answers;
  beside: [what: string, answers: Answers][];
  /** How long five leads take to be edited, in milliseconds: alone, and beside the edit of all leads of another organization. */
  fiveAlone: number;
  fiveBeside: number;
}

export async function measureBeside({ app, url, busy, other, crowd }: Beside, leads: number): Promise<BesideFigures> {
  const [busily, asOther] = [asking(url, busy), asking(url, other)];
  await makeLeads(app, busy, leads);
  await makeLeads(app, other, 5);
  await crowd();
  const idle = await crowd();

  const edit = async (request: typeof busily, industry: string, most: number) => {
    const body = { type: "set_fields", object_type: "lead", fields: { industry }, all: true, results_limit: most };
    const { id } = await request("POST", "/bulk_action/edit/", body);
    return () => ended(() => request("GET", `/bulk_action/${id}/`));
  };
  const five = async (industry: string) => {
    const began = performance.now();
    await (await edit(asOther, industry, 5))();
    return performance.now() - began;
  };
  const begin: [string, () => Promise<() => Promise<any>>][] = [
    ["a bulk edit", () => edit(busily, "Wood", leads)],
    ["an import", () => importOf(busily, leads)],
    ["an export", () => exportOf(busily)],
  ];
  const fiveAlone = await five("Glass");
  const beside: BesideFigures["beside"] = [];
  for (const [what, start] of begin) {
    const end = await start();
    beside.push([what, await crowd()]);
    await end();
  }
  const end = await edit(busily, "Stone", leads);
  const fiveBeside = await five("Paper");
  await end();
  return { idle, beside, fiveAlone, fiveBeside };
}

async function importOf(request: ReturnType<typeof asking>, rows: number): Promise<() => Promise<any>> {
  const csv = ["Company", ...Array.from({ length: rows }, (_, n) => `Bolt ${n}`)].join("\n");
  const { id } = await request("POST", "/import/", { content_base64: Buffer.from(csv).toString("base64") });
  await request("PUT", `/import/${id}/`, { mapping: { Company: "name" } });
  return () => ended(() => request("GET", `/import/${id}/`));
}

/** Several in a row, because one is soon done. */
async function exportOf(request: ReturnType<typeof asking>): Promise<() => Promise<any>> {
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push((await request("POST", "/export/lead/", { format: "csv" })).id);
  return () => Promise.all(ids.map((id) => ended(() => request("GET", `/export/${id}/`))));
}
