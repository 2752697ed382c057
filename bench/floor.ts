// A floor made of the service's own statements: a node:http server that sends them through the same driver, on the same tables.
// It has no validation, no authentication and no rendering.
import { createServer } from "node:http";
import type { Statement, TextRow } from "../src/db/database.ts";
import { openDatabase } from "../src/db/pool.ts";
import { newId } from "../src/values/id.ts";
import { type Recorded, searchFor } from "./recorded.ts";

const { url, recorded } = JSON.parse(process.env.FLOOR!) as { url: string; recorded: Recorded };
const db = openDatabase({ url, rls: false });
const organization = recorded.organizationId;
// A stored rendering starts with a mark of its definition, before the JSON.
const text = (row: TextRow) => `{${row[0]!.slice(6)}}`;
const listOf = (rows: TextRow[]) => `{"data":[${rows.slice(0, 100).map(text).join(",")}],"has_more":${rows.length > 100}}`;

const searches = new Map<string, Statement>();

const reads: Record<string, (rest: string) => Promise<string>> = {
  async get(id) {
    const [row] = await db.read(organization, {
      name: "get",
      text: "select rendered from lead where organization_id = $1 and id = $2",
      values: [organization, id],
    });
    return text(row!);
  },
  async list() {
    const rows = await db.read(organization, {
      name: "list",
      text: "select rendered from lead where organization_id = $1 order by date_created desc, id desc limit 101",
      values: [organization],
    });
    return listOf(rows);
  },
  async contacts(leadId) {
    const rows = await db.read(organization, {
      name: "contacts",
      text: "select rendered from contact where organization_id = $1 and lead_id = $2 order by date_created desc, id desc limit 101",
      values: [organization, leadId],
    });
    return listOf(rows);
  },
  async search(words) {
    let search = searches.get(words);
    if (search === undefined) searches.set(words, (search = searchFor(recorded, decodeURIComponent(words))));
    const rows = await db.search(organization, search);
    return listOf(rows.map((row) => [row.at(-1)!.slice(row.at(-1)!.indexOf("\n") + 1)]));
  },
};

async function create(): Promise<string> {
  const fresh = new Map(recorded.createdIds.map((id) => [id, newId(id.slice(0, id.indexOf("_")))]));
  const anew = (value: unknown) => {
    if (typeof value !== "string") return value;
    let replaced = value;
    for (const [id, made] of fresh) if (replaced.includes(id)) replaced = replaced.replaceAll(id, made);
    return replaced;
  };
  await db.transaction(organization, async (tx) => {
    for (const statement of recorded.create) tx.write({ ...statement, values: statement.values.map(anew) });
  });
  return [...fresh.values()][0]!;
}

createServer((request, response) => {
  const answer = (body: string) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
  };
  const [, kind = "", rest = ""] = request.url!.split("/");
  if (request.method === "POST") {
    request.on("data", () => {}).on("end", () => create().then((id) => answer(`{"id":"${id}"}`)));
  } else {
    reads[kind]!(rest).then(answer);
  }
}).listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));
