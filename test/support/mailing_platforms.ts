// Servers that play the part of mailing platforms, written from their published formats. Each keeps the people it was given, and is in a
// mood: it may be away, ask to wait, or take a batch and break the connection.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: any;
}

/** What it responds instead of doing it. `deaf` does it, and breaks the connection in the middle of the response. */
export type Mood = { status: number; headers?: Record<string, string>; body?: object } | "deaf" | null;

/** A text is a file. */
type Reply = [status: number, body: object | string | null];

const open = new Set<PlatformServer>();
after(() => open.forEach((one) => one.close()));

/** One server; what it does with a request is the platform's. */
export class PlatformServer {
  url = "";
  readonly asked: Asked[] = [];
  /** By address, as the platform stored them. */
  readonly people = new Map<string, any>();
  /** How often each was given to it. */
  readonly times = new Map<string, number>();
  /** Addresses that it refuses, and its words. */
  readonly refused = new Map<string, string>();
  /** The names of its lists, each with the addresses on it. The id of a list is its place, from 1. */
  lists: [name: string, emails: string[]][] = [];
  mood: Mood | ((asked: Asked) => Mood) = null;
  onDone: ((asked: Asked) => void) | null = null;
  private readonly answers: (server: PlatformServer, asked: Asked) => Reply;
  private readonly server = createServer((request, response) => void this.take(request, response));

  constructor(answers: (server: PlatformServer, asked: Asked) => Reply) {
    this.answers = answers;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    open.add(this);
    return this;
  }

  close(): void {
    open.delete(this);
    this.server.close();
    this.server.closeAllConnections();
  }

  keep(email: string, person: object): void {
    this.people.set(email, { ...this.people.get(email), ...person });
    this.times.set(email, (this.times.get(email) ?? 0) + 1);
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { pathname, searchParams } = new URL(request.url!, this.url);
    const asked: Asked = {
      method: request.method!,
      path: pathname,
      query: searchParams,
      headers: request.headers as Record<string, string>,
      body: text === "" ? null : JSON.parse(text),
    };
    this.asked.push(asked);
    const mood = typeof this.mood === "function" ? this.mood(asked) : this.mood;
    if (mood !== null && mood !== "deaf")
      return void response.writeHead(mood.status, mood.headers).end(JSON.stringify(mood.body ?? {}));
    const [status, body] = this.answers(this, asked);
    this.onDone?.(asked);
    const json = body === null ? "" : typeof body === "string" ? body : JSON.stringify(body);
    if (mood === "deaf") {
      response.writeHead(status, { "content-length": json.length + 10 }).write(json.slice(0, 5));
      return void setImmediate(() => response.destroy());
    }
    response.writeHead(status, { "content-type": "application/json" }).end(json);
  }
}

const authorized = ({ headers }: Asked, expected: string): boolean => headers.authorization === expected;
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** `POST /3.0/lists/{id}` with at most 500 members, tags by static segments. The audience `gone` does not exist. */
export const mailchimp = (key: string) =>
  new PlatformServer((server, asked) => {
    if (!authorized(asked, basic("headwater", key)))
      return [401, { title: "API Key Invalid", detail: "Your API key may be invalid" }];
    const [, all, listed] = /^\/3\.0\/lists(?:(\/?)|\/(\d+)\/members)$/.exec(asked.path) ?? [];
    const [count, offset] = ["count", "offset"].map((name) => Number(asked.query.get(name))) as [number, number];
    const page = <T>(found: T[]) => found.slice(offset, offset + Math.min(count, 1000));
    if (all !== undefined) return [200, { lists: page(server.lists.map(([name], i) => ({ id: `${i + 1}`, name }))) }];
    if (listed !== undefined && asked.query.get("status") === "subscribed")
      return [
        200,
        { members: page(server.lists[Number(listed) - 1]![1].map((email) => ({ id: `m-${email}`, email_address: email }))) },
      ];
    const [, list, rest, segment] = /^\/3\.0\/lists\/(\w+)(?:\/(tag-search|segments)(?:\/(\d+))?)?$/.exec(asked.path) ?? [];
    if (list === undefined || list === "gone")
      return [404, { title: "Resource Not Found", detail: "The requested resource could not be found." }];
    const tagged = (emails: string[], name: string) => emails.forEach((email) => server.people.get(email)!.tags.push(name));
    if (rest === "tag-search") {
      const has = [...server.people.values()].some(({ tags }) => tags.includes(asked.query.get("name")));
      return [200, { tags: has ? [{ id: 7, name: asked.query.get("name") }] : [], total_items: has ? 1 : 0 }];
    }
    if (rest === "segments") {
      tagged(asked.body.static_segment ?? asked.body.members_to_add, asked.body.name ?? `segment ${segment}`);
      return [200, { id: 7 }];
    }
    const { members, update_existing } = asked.body;
    if (members.length > 500) return [400, { title: "Invalid Resource", detail: "members: at most 500" }];
    const errors = members.flatMap(({ email_address, ...member }: any) => {
      const refusal = server.refused.get(email_address);
      if (refusal !== undefined)
        return [{ email_address, error: refusal, error_code: "ERROR_GENERIC", field: "", field_message: "" }];
      if (server.people.has(email_address) && !update_existing)
        return [{ email_address, error: `${email_address} is already a list member`, error_code: "ERROR_CONTACT_EXISTS" }];
      server.keep(email_address, { ...member, tags: [...(member.tags ?? [])] });
      return [];
    });
    return [200, { new_members: [], updated_members: [], errors, error_count: errors.length }];
  });

/**
 * `POST /v3/contacts/import` is a process, which ends with the address of a report of those it refuses. `POST /v3/contacts` with
 * `updateEnabled`: 201 for a new contact, 204 for one that is there, and 400 for one it refuses.
 */
export const brevo = (key: string) =>
  new PlatformServer((server, { path, query, headers, body }) => {
    const [, report] = /^\/reports\/(\w+)\.csv$/.exec(path) ?? [];
    if (report !== undefined)
      return [
        200,
        `EMAIL;REASON\r\n${jobOf(server, report)
          .wrong.map((one) => `"${one}";x\r\n`)
          .join("")}`,
      ];
    if (headers["api-key"] !== key) return [401, { code: "unauthorized", message: "Key not found" }];
    const [, list] = /^\/v3\/contacts\/lists(?:\/(\d+)\/contacts)?$/.exec(path) ?? [];
    const [limit, offset] = ["limit", "offset"].map((name) => Number(query.get(name))) as [number, number];
    const page = <T>(found: T[]) => found.slice(offset, offset + Math.min(limit, list === undefined ? 50 : 500));
    if (list !== undefined) {
      const found = server.lists[Number(list) - 1]![1].map((email, i) => ({
        id: i + 1,
        email,
        emailBlacklisted: email.startsWith("no-"),
      }));
      return [200, { contacts: page(found), count: found.length }];
    }
    if (path === "/v3/contacts/lists")
      return [200, { lists: page(server.lists.map(([name], i) => ({ id: i + 1, name }))), count: server.lists.length }];
    if (path === "/v3/contacts/import") {
      const { jsonBody, listIds, updateExistingContacts } = body;
      for (const { email, attributes } of jsonBody)
        if (!server.refused.has(email) && (updateExistingContacts || !server.people.has(email)))
          server.keep(email, { ...attributes, lists: listIds });
      const id = addJob(
        server,
        jsonBody.map(({ email }: any) => email),
      );
      return [202, { processId: Number(id.slice(3)) }];
    }
    const [, processId] = /^\/v3\/processes\/(\d+)$/.exec(path) ?? [];
    if (processId !== undefined) {
      const { isDone, wrong } = jobOf(server, `job${processId}`);
      const invalid_emails = wrong.length > 0 ? `${server.url}/reports/job${processId}.csv` : null;
      const info = isDone ? { info: { import: { invalid_emails, duplicate_email_id: null } } } : {};
      return [200, { id: Number(processId), name: "IMPORTUSER", status: isDone ? "completed" : "in_process", ...info }];
    }
    if (path !== "/v3/contacts") return [404, { code: "document_not_found", message: "Not found" }];
    const refusal = server.refused.get(body.email);
    if (refusal !== undefined) return [400, { code: "invalid_parameter", message: refusal }];
    const isThere = server.people.has(body.email);
    server.keep(body.email, { ...body.attributes, lists: body.listIds });
    return isThere ? [204, null] : [201, { id: server.people.size }];
  });

interface Job {
  emails: string[];
  looks: number;
}

/** A batch is a job that is done at the second look. */
const jobs = new WeakMap<PlatformServer, Job[]>();

function addJob(server: PlatformServer, emails: string[]): string {
  const all = jobs.get(server) ?? [];
  jobs.set(server, all);
  return `job${all.push({ emails, looks: 0 })}`;
}

function jobOf(server: PlatformServer, id: string): Job & { isDone: boolean; wrong: string[] } {
  const job = jobs.get(server)![Number(id.slice(3)) - 1]!;
  const isDone = ++job.looks > 1;
  return { ...job, isDone, wrong: job.emails.filter((email) => server.refused.has(email)) };
}

/** `POST /api/profile-bulk-import-jobs`, whose errors are read by pages. Profiles need a revision of the API. */
export const klaviyo = (key: string) =>
  new PlatformServer((server, asked) => {
    if (!authorized(asked, `Klaviyo-API-Key ${key}`)) return [401, { errors: [{ detail: "Missing or invalid private key." }] }];
    if (!/^\d{4}-\d\d-\d\d$/.test(asked.headers.revision ?? ""))
      return [400, { errors: [{ detail: "A revision is required." }] }];
    const [, id, errors] = /^\/api\/profile-bulk-import-jobs(?:\/(\w+)(\/import-errors)?)?$/.exec(asked.path) ?? [];
    if (id === undefined) {
      const profiles = asked.body.data.attributes.profiles.data.map((one: any) => one.attributes);
      const lists = asked.body.data.relationships.lists.data.map((one: any) => one.id);
      for (const one of profiles) if (!server.refused.has(one.email)) server.keep(one.email, { ...one, lists });
      return [
        202,
        {
          data: {
            type: "profile-bulk-import-job",
            id: addJob(
              server,
              profiles.map((one: any) => one.email),
            ),
          },
        },
      ];
    }
    const { wrong, isDone } = jobOf(server, id);
    if (errors === undefined) {
      const attributes = { status: isDone ? "complete" : "processing", failed_count: wrong.length };
      return [200, { data: { type: "profile-bulk-import-job", id, attributes } }];
    }
    const page = Number(asked.query.get("page[cursor]") ?? 0);
    const data = wrong.slice(page, page + 1).map((email) => ({
      type: "import-error",
      attributes: { code: "invalid", title: "Invalid input", detail: server.refused.get(email), original_payload: { email } },
    }));
    const next = page + 1 < wrong.length ? `${server.url}${asked.path}?page[cursor]=${page + 1}` : null;
    return [200, { data, links: { next } }];
  });

/** `POST /api/v2/batch` responds 207 with the places of those it refuses. A manual segment takes addresses it knows. */
export const customerio = (siteId: string, key: string) =>
  new PlatformServer((server, asked) => {
    if (!authorized(asked, basic(siteId, key))) return [401, { meta: { error: "Unauthorized request" } }];
    if (asked.path === "/api/v1/segments/42/add_customers" && asked.query.get("id_type") === "email") {
      for (const email of asked.body.ids) server.people.get(email)!.segment = 42;
      return [200, null];
    }
    if (asked.path !== "/api/v2/batch") return [404, { meta: { error: "not found" } }];
    const errors = asked.body.batch.flatMap(({ identifiers, attributes }: any, batch_index: number) => {
      const refusal = server.refused.get(identifiers.email);
      if (refusal !== undefined) return [{ batch_index, reason: "invalid", field: "email", message: refusal }];
      server.keep(identifiers.email, attributes);
      return [];
    });
    return errors.length > 0 ? [207, { errors }] : [200, {}];
  });

/** `PUT /v3/marketing/contacts` is a job. A list with an id it does not know, and anybody it refuses, are a 400 for the whole batch. */
export const sendgrid = (key: string) =>
  new PlatformServer((server, asked) => {
    if (!authorized(asked, `Bearer ${key}`)) return [401, { errors: [{ message: "authorization required" }] }];
    if (asked.path === "/v3/marketing/contacts") {
      const { contacts, list_ids } = asked.body;
      const wrong = contacts.find((one: any) => server.refused.get(one.email) === "email is invalid");
      if (wrong !== undefined) return [400, { errors: [{ field: "contacts", message: "email is invalid" }] }];
      for (const { email, ...one } of contacts) if (!server.refused.has(email)) server.keep(email, { ...one, list_ids });
      return [
        202,
        {
          job_id: addJob(
            server,
            contacts.map((one: any) => one.email),
          ),
        },
      ];
    }
    if (asked.path === "/v3/marketing/contacts/search/emails") {
      const found = asked.body.emails.filter((email: string) => server.people.has(email));
      if (found.length === 0) return [404, { errors: [{ message: "contacts not found" }] }];
      const result = asked.body.emails.map((email: string) => [
        email,
        found.includes(email) ? { contact: { email } } : { error: "contact not found" },
      ]);
      return [200, { result: Object.fromEntries(result) }];
    }
    const { isDone, wrong } = jobOf(server, asked.path.split("/").at(-1)!);
    const status = !isDone ? "pending" : wrong.length > 0 ? "errored" : "completed";
    return [200, { id: "x", status, job_type: "upsert", results: { errored_count: wrong.length } }];
  });
