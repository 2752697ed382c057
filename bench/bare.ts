// The bare floor: a plain server with the same records that shares no code with ours. It has a pool, one table of finished JSON
// for each kind, a primary key and two indexes, and inserts one row for a create. It has no authentication, no validation and no
// cache.
import { createServer, type IncomingMessage } from "node:http";
import pg from "pg";
import { newId } from "../src/values/id.ts";

const pool = new pg.Pool({ connectionString: process.env.BARE, max: 16 });

await pool.query(`
  create schema if not exists bare;
  create table if not exists bare.lead (
    id text collate "C" primary key, name text not null, created timestamptz not null default clock_timestamp(), body text not null);
  create index if not exists lead_created on bare.lead (created desc, id desc);
  create index if not exists lead_name on bare.lead using gin (to_tsvector('simple', name));
  create table if not exists bare.contact (
    id text collate "C" primary key, lead_id text not null, created timestamptz not null default clock_timestamp(), body text not null);
  create index if not exists contact_created on bare.contact (created desc, id desc);
  create index if not exists contact_lead on bare.contact (lead_id, created desc);`);

async function ask(name: string, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await pool.query({ name, text, values, rowMode: "array" });
  return rows.map((row: unknown[]) => row[0] as string);
}

const page = (bodies: string[]) => `{"data":[${bodies.slice(0, 100).join(",")}],"has_more":${bodies.length > 100}}`;
const newest = "order by created desc, id desc limit 101";

async function list(parameters: URLSearchParams): Promise<string> {
  const word = parameters.get("search");
  if (word === null) return page(await ask("list", `select body from bare.lead ${newest}`, []));
  const matching = "to_tsvector('simple', name) @@ to_tsquery('simple', $1)";
  return page(await ask("search", `select body from bare.lead where ${matching} ${newest}`, [`${word}:*`]));
}

const listContacts = async (leadId: string) =>
  page(await ask("contacts", `select body from bare.contact where lead_id = $1 ${newest}`, [leadId]));

async function create(kind: "lead" | "contact", given: Record<string, unknown>): Promise<string> {
  const id = newId(kind === "lead" ? "lead" : "cont");
  const body = JSON.stringify({ id, ...given, date_created: new Date() });
  const column = kind === "lead" ? "name" : "lead_id";
  await ask(`create ${kind}`, `insert into bare.${kind} (id, ${column}, body) values ($1, $2, $3)`, [id, given[column], body]);
  return body;
}

async function update(id: string, given: Record<string, unknown>): Promise<string> {
  const [body] = await ask("get", "select body from bare.lead where id = $1", [id]);
  const changed = { ...JSON.parse(body!), ...given };
  const text = "update bare.lead set name = $2, body = $3 where id = $1";
  await ask("update", text, [id, changed.name, JSON.stringify(changed)]);
  return JSON.stringify(changed);
}

async function remove(id: string): Promise<string> {
  await ask("delete", "delete from bare.lead where id = $1", [id]);
  return "{}";
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return JSON.parse(text);
}

async function serve(request: IncomingMessage): Promise<string> {
  const { pathname, searchParams } = new URL(request.url!, "http://bare");
  const [, kind, id] = pathname.split("/");
  if (request.method === "POST") return create(kind as "lead" | "contact", await bodyOf(request));
  if (request.method === "PUT") return update(id!, await bodyOf(request));
  if (request.method === "DELETE") return remove(id!);
  if (kind === "contact") return listContacts(searchParams.get("lead_id")!);
  return id ? (await ask("get", "select body from bare.lead where id = $1", [id]))[0]! : list(searchParams);
}

createServer(async (request, response) => {
  const body = await serve(request);
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}).listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));
