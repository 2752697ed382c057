// Clients that go on with their work, each request after the other, while something happens to the service. It says which requests
// failed.
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

export interface Load {
  /** Lets each client end its request, and returns what happened. */
  end(): Promise<Outcome>;
  /** Resolves when so many more requests were answered. */
  answered(count: number): Promise<void>;
}

export interface Outcome {
  requests: number;
  /** The leads that were created, as the answers said. */
  created: string[];
  /** What a client saw that is no success. */
  failures: string[];
  /** Requests that a busy machine refused once for now, and took when the client asked again as it was told. */
  repeated: number;
}

const going = new Set<Load>();
// A failed test has not ended its load.
after(() => Promise.all([...going].map((load) => load.end())));

/** `place` gives the address for the next request. */
export function startLoad(place: () => string, key: string, { clients = 16, pauseMs = 150 } = {}): Load {
  const outcome: Outcome = { requests: 0, created: [], failures: [], repeated: 0 };
  let isOver = false;
  const ask = async (method: string, path: string, body?: object, again = 3): Promise<any> => {
    const response = await fetch(`${place()}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status === 503 && response.headers.has("retry-after") && again > 0) {
      outcome.repeated++;
      await sleep(Number(response.headers.get("retry-after")) * 1000);
      return ask(method, path, body, again - 1);
    }
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`);
    outcome.requests++;
    return JSON.parse(text);
  };
  const client = async (number: number): Promise<void> => {
    let lead: any = null;
    for (let turn = 0; !isOver; turn++) {
      const name = `Load ${number} ${turn}`;
      const works: Record<string, () => Promise<unknown>> = {
        create: async () => {
          lead = await ask("POST", "/lead/", { name, contacts: [{ name, emails: [{ email: `load${number}@example.com` }] }] });
          outcome.created.push(lead.id);
        },
        read: () => ask("GET", `/lead/${lead.id}/`),
        update: () => ask("PUT", `/lead/${lead.id}/`, { description: name }),
        note: () => ask("POST", "/activity/note/", { lead_id: lead.id, note: name }),
        search: () => ask("GET", `/lead/?query=load&_limit=5`),
        list: () => ask("GET", "/event/?_limit=5"),
      };
      const [what, work] = Object.entries(works)[lead === null ? 0 : turn % 6]!;
      await work().catch((error) => outcome.failures.push(`${what}: ${error.cause?.message ?? error.message}`));
      await sleep(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, i) => client(i)));
  const load: Load = {
    async end() {
      isOver = true;
      going.delete(load);
      await all;
      return outcome;
    },
    async answered(count) {
      for (const wanted = outcome.requests + count; outcome.requests < wanted && outcome.failures.length < 20; ) await sleep(20);
    },
  };
  going.add(load);
  return load;
}
