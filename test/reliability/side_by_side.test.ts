// Concurrent writers may wait for each other, but never in a deadlock: PostgreSQL ends a deadlock only after a second, by failing
// a transaction.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import type { Resource } from "../../src/core/resource.ts";
import { operations } from "../../src/resources/index.ts";
import type { Answer } from "../support/client.ts";
import { createDatabase } from "../support/database.ts";
import { organization, type Workspace } from "../support/given.ts";
import { collectionPath, createdResources, minimalBody, verbsOf } from "../support/samples.ts";
import { type Service, startService } from "../support/service.ts";

const atOnce = 8;
const rounds = 3;

let database: Awaited<ReturnType<typeof createDatabase>>;
let service: Service;
before(async () => {
  database = await createDatabase();
  service = await startService({ databaseUrl: database.url });
});
after(async () => {
  await service.close();
  await database.drop();
});

const isId = (value: unknown) => typeof value === "string" && /^[a-z]+_[0-9a-z]{26}$/.test(value);

/** Kinds of which there can be one at a time. */
const unique: Record<string, string> = { budget: "holder_id", send_as: "allowed_user_id", sequence_subscription: "contact_id" };

/** A body like the first, about the same records. */
async function another(acme: Workspace, of: Resource, first: Record<string, unknown>): Promise<Record<string, unknown>> {
  const own = await minimalBody(acme, of);
  const isShared = ([key, value]: [string, unknown]) => isId(value) && key !== unique[of.name];
  return Object.fromEntries(Object.entries(own).map((entry) => [entry[0], isShared(entry) ? first[entry[0]] : entry[1]]));
}

/** Sends all requests at once. None may be refused. */
async function together(asked: Promise<Answer>[]): Promise<any[]> {
  const answers = await Promise.all(asked);
  for (const { status, text } of answers) assert.ok(status < 300, text);
  return answers.map(({ body }) => body);
}

/** A change that any record of the kind accepts, or undefined. A record with a position moves to the front. */
function changeOf(of: Resource): Record<string, unknown> | undefined {
  const isWritten = (key: string) => of.fields[key]?.mode === "write";
  const key = ["name", "title", "label", "text", "note", "description"].find(
    (one) => isWritten(one) && of.fields[one].type === "text",
  );
  return key === undefined ? undefined : { [key]: `Changed ${Math.random()}`, ...(isWritten("position") && { position: 0 }) };
}

/** How often PostgreSQL had to resolve a deadlock. A connection's count is stored when it closes. */
async function circles(): Promise<number> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
  await client.query(`select pg_terminate_backend(pid, 10000) ${others}`);
  const { rows } = await client.query("select deadlocks from pg_stat_database where datname = current_database()");
  await client.end();
  return Number(rows[0].deadlocks);
}

describe("beside each other, some are created while others are changed and deleted:", () => {
  for (const of of createdResources(operations))
    test(of.name, async () => {
      const acme = await organization(service);
      const { update, delete: deletes } = verbsOf(operations, of);
      const path = await collectionPath(acme, of);
      const first = await minimalBody(acme, of);
      const create = async () => {
        const bodies = await Promise.all(Array.from({ length: atOnce }, () => another(acme, of, first)));
        return bodies.map((body) => acme.ask("POST", path, { body }));
      };

      let made = await together(await create());
      for (let round = 0; round < rounds; round++) {
        const [some, others] = [made.slice(0, atOnce / 2), made.slice(atOnce / 2)];
        const changes =
          update && changeOf(of) ? some.map(({ id }) => acme.ask("PUT", `${path}${id}/`, { body: changeOf(of) })) : [];
        const removals = deletes ? others.map(({ id }) => acme.ask("DELETE", `${path}${id}/`)) : [];
        const answers = await together([...(await create()), ...changes, ...removals]);
        made = answers.slice(0, atOnce);
      }
    });
});

describe("beside each other,", () => {
  const times = <T>(work: (i: number) => T): T[] => Array.from({ length: atOnce }, (_, i) => work(i));

  /** What all clients do to the same records at once, by action. */
  const deeds: Record<string, (acme: Workspace) => Promise<() => Promise<Answer>[]>> = {
    "contacts come to a lead without a name": async (acme) => {
      const lead = await acme.post("/lead/");
      return () => times((i) => acme.ask("POST", "/contact/", { body: { lead_id: lead.id, name: `Ann ${i}` } }));
    },
    "the same leads are put on a list": async (acme) => {
      const ids = (await Promise.all(times(() => acme.lead()))).map(({ id }) => id);
      const list = await acme.post("/lead_list/", { name: "Fair" });
      return () =>
        times((i) =>
          acme.ask("POST", `/lead_list/${list.id}/members/`, { body: { lead_ids: i % 2 === 0 ? ids : ids.toReversed() } }),
        );
    },
    "leads get the same new tags": async (acme) => {
      let round = 0;
      return () => {
        const tags = [`a${++round}`, `b${round}`, `c${round}`];
        return times((i) => acme.ask("POST", "/lead/", { body: { name: "Acme", tags: i % 2 === 0 ? tags : tags.toReversed() } }));
      };
    },
    "messages come into a conversation that is changed": async (acme) => {
      const { id } = await acme.post("/conversation/", { lead_id: (await acme.lead()).id });
      const body = { type: "sms", status: "inbox", body: "Hello", remote_phone: "+18004445555" };
      return () =>
        times((i) =>
          i % 2 === 0
            ? acme.ask("POST", `/conversation/${id}/message/`, { body })
            : acme.ask("PUT", `/conversation/${id}/`, { body: { subject: `Hello ${Math.random()}` } }),
        );
    },
    "answers come into a thread whose e-mails are changed": async (acme) => {
      const lead_id = (await acme.lead()).id;
      const mail = { lead_id, subject: "Offer", to: ["ann@example.com"], body_text: "Hello" };
      const sent = await Promise.all(times(() => acme.post("/activity/email/", { ...mail, status: "sent" })));
      const answer = { lead_id, subject: "Re: Offer", sender: "ann@example.com", body_text: "Yes", status: "inbox" };
      return () =>
        times((i) =>
          i % 2 === 0
            ? acme.ask("POST", "/activity/email/", { body: answer })
            : acme.ask("PUT", `/activity/email/${sent[i].id}/`, { body: { activity_at: new Date().toISOString() } }),
        );
    },
    "the same tasks are done": async (acme) => {
      const lead_id = (await acme.lead()).id;
      const ids = (await Promise.all(times(() => acme.task({ lead_id })))).map(({ id }) => id).join();
      return () => times((i) => acme.ask("PUT", `/task/?id__in=${ids}`, { body: { is_complete: i % 2 === 0 } }));
    },
    "leads are merged into one": async (acme) => {
      const destination = await acme.lead();
      const contacts = [{ name: "Ann" }];
      const sources = await Promise.all(Array.from({ length: atOnce * rounds }, () => acme.lead({ contacts })));
      return () =>
        times(() => acme.ask("POST", "/lead/merge/", { body: { source: sources.pop().id, destination: destination.id } }));
    },
    "comments answer each other": async (acme) => {
      const object_id = (await acme.lead()).id;
      const { thread_id } = await acme.post("/comment/", { object_id, body: "<p>Well</p>" });
      return () =>
        times((i) =>
          acme.ask("POST", "/comment/", { body: { body: "<p>So</p>", ...(i % 2 === 0 ? { object_id } : { thread_id }) } }),
        );
    },
  };

  for (const [deed, given] of Object.entries(deeds))
    test(deed, async () => {
      const act = await given(await organization(service));

      for (let round = 0; round < rounds; round++) await together(act());
    });
});

test("none of them waited in a circle", async () => {
  assert.equal(await circles(), 0);
});
