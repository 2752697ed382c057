// Many clients write at once, in short and long transactions. A program that follows the events misses none, gets none twice, and
// ends with the right records.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { settled, withConnection } from "../support/feed.ts";
import { organization, type Workspace } from "../support/given.ts";

const writers = 16;
const rounds = 15;

test("a mirror kept by cursor_previous alone has every event once and equals its source, whatever commits at the same time", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const shared: any[] = [];
  for (let i = 0; i < 40; i++) shared.push(await acme.task({ lead_id: lead.id }));
  const beginning = await acme.get("/event/");
  const mirror = new Mirror(lead.id);
  const writing = { done: false };

  const [acknowledged] = await Promise.all([
    Promise.all(Array.from({ length: writers }, (_, i) => writeMuch(acme, i, lead.id, shared))).finally(() => {
      writing.done = true;
    }),
    mirror.follow(acme, beginning.cursor_previous, writing),
    holdBack(acme),
  ]);

  const source = (await acme.all("/event/?_limit=200")).map((event) => event.id);
  const earlier = new Set(beginning.data.map((event: any) => event.id));
  assert.deepEqual([...mirror.events].sort(), source.filter((id) => !earlier.has(id)).sort());
  assert.ok(mirror.events.length > writers * rounds * 3);
  for (const written of acknowledged) {
    const places = written.map((id) => mirror.created.indexOf(id));
    assert.ok(
      places.every((place, i) => place > (places[i - 1] ?? -1)),
      "what one client wrote comes in its order",
    );
  }
  for (const { id } of shared) assert.equal(mirror.texts.get(id), (await acme.get(`/task/${id}/`)).text);
  assert.deepEqual([...mirror.leads].sort(), (await acme.all("/lead/?_fields=id&_limit=200")).map((one) => one.id).sort());
});

/**
 * One client: creates, changes of shared records, hundreds of records in one transaction, merges. It returns the leads it
 * created, in order.
 */
async function writeMuch(acme: Workspace, writer: number, lead_id: string, shared: readonly any[]): Promise<string[]> {
  const written: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const text = `${writer} ${round}`;
    const { id } = await acme.lead({ contacts: [{ name: text }] });
    written.push(id);
    await acme.put(`/task/${shared[(writer * 7 + round) % shared.length].id}/`, { text });
    await acme.task({ lead_id, text });
    if (writer < 2) await acme.put(`/task/?id__in=${shared.map((one) => one.id).join(",")}`, { text: `all ${text}` });
    if (writer >= 14) await acme.post("/lead/merge/", { source: (await acme.lead()).id, destination: id });
  }
  return written;
}

/** Transactions that start to write and then take their time, over and over. */
async function holdBack(acme: Workspace): Promise<void> {
  await withConnection(acme, async (client) => {
    for (let i = 0; i < 10; i++) {
      await client.query("begin");
      await client.query("select pg_current_xact_id()");
      await sleep(100);
      await client.query("commit");
    }
  });
}

class Mirror {
  /** The ids of all events, in order of arrival. */
  readonly events: string[] = [];
  /** The created leads, in order of arrival. */
  readonly created: string[] = [];
  readonly leads: Set<string>;
  readonly texts = new Map<string, string>();

  constructor(lead: string) {
    this.leads = new Set([lead]);
  }

  /** Reads until writing has ended and nothing is missing. */
  async follow(acme: Workspace, from: string, writing: { done: boolean }): Promise<void> {
    for (let cursor = from; ; ) {
      const { done } = writing;
      if (done) await settled(acme);
      const page = await acme.get(`/event/?_limit=50&_cursor=${cursor}`);
      for (const event of page.data.reverse()) this.apply(event);
      cursor = page.cursor_previous;
      if (done && page.data.length === 0) return;
    }
  }

  private apply({ id, event, object_id, data }: any): void {
    this.events.push(id);
    if (event.startsWith("task.")) this.texts.set(object_id, data.text);
    if (event === "lead.created") {
      this.created.push(object_id);
      this.leads.add(object_id);
    }
    if (event === "lead.deleted") this.leads.delete(object_id);
  }
}
