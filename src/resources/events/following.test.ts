import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { until } from "../../../test/support/processes.ts";
import { type Service, startService } from "../../../test/support/service.ts";
import { Listener, listening, subjectsOf } from "../../../test/support/stream.ts";

describe("who listens", () => {
  test("never hears of another organization", async () => {
    const [acme, other] = [await organization(), await organization()];

    await listening(acme, "", async (ours) =>
      listening(other, "", async (theirs) => {
        const [mine, strange] = [await acme.lead(), await other.lead()];
        await Promise.all([ours.heardAll(1), theirs.heardAll(1)]);
        assert.deepEqual([subjectsOf(ours.heard), subjectsOf(theirs.heard)], [[mine.id], [strange.id]]);
      }),
    );
  });

  test("hears of the leads they see, until they lose them, and from when they get them", async () => {
    const acme = await organization();
    const rep = await acme.member("restricteduser");
    const other = await acme.member("restricteduser");

    await listening(rep, "?object_type=lead", async (theirs) =>
      listening(other, "?object_type=lead", async (others) => {
        const [mine, hidden] = [await acme.lead({ owner_id: rep.userId }), await acme.lead()];
        await acme.put(`/lead/${hidden.id}/`, { name: "Hidden" });
        await theirs.heardAll(1);
        await acme.put(`/lead/${mine.id}/`, { owner_id: other.userId });
        await acme.put(`/lead/${mine.id}/`, { name: "Lost" });
        await others.until(() => others.heard.some(({ data }) => data.data.name === "Lost"));
        const again = await acme.lead({ owner_id: rep.userId });
        await theirs.heardAll(2);
        assert.deepEqual(subjectsOf(theirs.heard), [mine.id, again.id]);
        assert.ok(subjectsOf(others.heard).every((id) => id === mine.id));
      }),
    );
  });

  test("hears of what is personal only what is theirs, in its place among what is for all", async () => {
    const acme = await organization();
    const colleague = await acme.member("admin");
    const restricted = await acme.member("restricteduser");
    const template = (name: string) => ({ name, subject: "Hello", body: "Hello", is_shared: false });

    await listening(acme, "", async (ours) =>
      listening(colleague, "", async (theirs) =>
        listening(restricted, "", async (none) => {
          const first = await acme.lead();
          const mine = await acme.post("/email_template/", template("Mine"));
          const yours = await colleague.post("/email_template/", template("Yours"));
          const last = await acme.lead({ owner_id: restricted.userId });
          for (const one of [ours, theirs]) await one.until(() => subjectsOf(one.heard).includes(last.id));
          await none.heardAll(1);
          assert.deepEqual(subjectsOf(ours.heard), [first.id, mine.id, last.id]);
          assert.deepEqual(subjectsOf(theirs.heard), [first.id, yours.id, last.id]);
          assert.deepEqual(subjectsOf(none.heard), [last.id]);
        }),
      ),
    );
  });

  test("is not told where a lead went, unless they moved it", async () => {
    const acme = await organization();
    const colleague = await acme.member("admin");
    const [there, lead] = [await acme.another(), await acme.lead()];

    await listening(acme, "?event=lead.deleted", async (ours) =>
      listening(colleague, "?event=lead.deleted", async (theirs) => {
        await acme.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });
        const [[mine], [yours]] = [await ours.heardAll(1), await theirs.heardAll(1)];
        assert.ok("moved_to" in mine!.data.meta && !("moved_to" in yours!.data.meta));
        assert.deepEqual([mine!.data], (await acme.get("/event/?event=lead.deleted")).data);
        assert.deepEqual([yours!.data], (await colleague.get("/event/?event=lead.deleted")).data);
      }),
    );
  });

  test("is not told in meta of what they do not see", async () => {
    const acme = await organization();
    const rep = await acme.member("restricteduser");
    const [kept, merged] = [await acme.lead({ owner_id: rep.userId }), await acme.lead()];

    await listening(rep, "?event=lead.merged", async (one) => {
      await acme.post("/lead/merge/", { source: merged.id, destination: kept.id });
      const [told] = await one.heardAll(1);
      const { data } = await rep.get("/event/?event=lead.merged");
      assert.deepEqual(told!.data, data[0]);
      assert.ok(!JSON.stringify(told!.data.meta).includes(merged.id));
    });
  });

  for (const [what, lose] of [
    [
      "membership",
      async (acme: Workspace, who: Workspace) => {
        const { data } = await acme.get(`/membership/?user_id=${who.userId}`);
        await acme.delete(`/membership/${data[0].id}/`);
      },
    ],
    [
      "key",
      async (acme: Workspace, who: Workspace) => {
        const { data } = await acme.get(`/api_key/?user_id=${who.userId}`);
        await acme.delete(`/api_key/${data[0].id}/`);
      },
    ],
  ] as const)
    test(`hears nothing from the moment they lose their ${what}`, async () => {
      const acme = await organization();
      const who = await acme.member();
      const one = await new Listener(who, "?event=lead.created").begun();
      const known = await acme.lead();
      await one.heardAll(1);

      await lose(acme, who);
      await acme.lead();

      await one.until(() => one.hasEnded, "the stream ends");
      assert.deepEqual(subjectsOf(one.heard), [known.id]);
      assert.equal(one.wasCut, false);
      await who.refused(401, "GET", "/event/stream/");
    });

  test("hears the end of it when their organization is deleted", async () => {
    const acme = await organization();
    const there = await acme.another();
    const [one, other] = [await new Listener(there).begun(), await new Listener(acme).begun()];

    await there.delete(`/organization/${there.id}/`);
    acme.service.clock.now = new Date(Date.now() + 11_000);

    await one.until(() => one.hasEnded, "the stream ends");
    assert.deepEqual([one.heard, one.wasCut], [[], false]);
    await there.refused(401, "GET", "/event/stream/");
    const lead = await acme.lead();
    assert.deepEqual(subjectsOf(await other.heardAll(1)), [lead.id], "others go on");
    await other.close();
  });

  test("is looked up again when nothing happens", async () => {
    const acme = await organization();
    const who = await acme.member();
    const one = await new Listener(who).begun();
    const { data } = await acme.get(`/membership/?user_id=${who.userId}`);
    await acme.service.app.db.unscopedTransaction(async (tx) =>
      tx.write({
        text: "update membership set status = 'inactive' where organization_id = $1 and id = $2",
        values: [acme.id, data[0].id],
      }),
    );
    acme.service.app.authenticator.forget(acme.id);

    acme.service.clock.now = new Date(Date.now() + 11_000);

    await one.until(() => one.hasEnded, "the stream ends");
    assert.deepEqual(one.heard, []);
  });

  test("sees less from the moment their role does", async () => {
    const acme = await organization();
    const who = await acme.member("user");

    await listening(who, "?event=lead.created", async (one) => {
      const before = await acme.lead();
      await one.heardAll(1);
      const { data } = await acme.get(`/membership/?user_id=${who.userId}`);
      await acme.put(`/membership/${data[0].id}/`, { role_id: "restricteduser" });
      await acme.lead();
      const own = await acme.lead({ owner_id: who.userId });
      await one.heardAll(2);
      assert.deepEqual(subjectsOf(one.heard), [before.id, own.id]);
    });
  });
});

describe("a stream that is open", () => {
  test("beats every 15 seconds with a cursor, and ends after 15 minutes for the client to come back", async () => {
    const acme = await organization();
    const { clock } = acme.service;
    const began = Date.now();
    const one = await new Listener(acme, "?event=lead.created").begun();
    const [firstId, before] = [one.lastId, one.comments];
    await acme.note();
    await one.heardAll(1);

    clock.now = new Date(began + 20_000);
    await one.until(() => one.comments === before + 1);
    const { lastId } = one;
    clock.now = new Date(began + 16 * 60_000);
    await one.until(() => one.hasEnded);

    assert.equal(one.wasCut, false);
    assert.notEqual(firstId, lastId);
    const meanwhile = await acme.lead();
    await listening(
      acme,
      "?event=lead.created",
      async (again) => assert.deepEqual(subjectsOf(await again.heardAll(1)), [meanwhile.id]),
      one.lastId,
    );
  });

  test("is disconnected when it is not read, and misses nothing when it reconnects", async () => {
    const own = await startService();
    try {
      const acme = await organization(own);
      const note = await acme.note();
      const one = await new Listener(acme, "?event=note.updated").begun();
      let written = 0;

      one.pause();
      for (; (await openStreams(acme)) > 0; written++) {
        assert.ok(written < 500, "it is let go");
        await acme.put(`/activity/note/${note.id}/`, { note: `${written} ${String(written % 10).repeat(90_000)}` });
      }
      one.resume();
      await one.until(() => one.hasEnded);
      const [before, rest] = await listening(
        acme,
        "?event=note.updated",
        async (again) => [one.heard, await again.heardAll(written - one.heard.length)],
        one.lastId,
      );

      assert.ok(one.wasCut && before.length < written);
      assert.deepEqual(
        [...before, ...rest].map(({ data }) => Number.parseInt(data.data.note, 10)),
        Array.from({ length: written }, (_, i) => i),
      );
    } finally {
      await own.close();
    }
  });

  test("takes no place among what is at work", async () => {
    const narrow = await startService({ gate: { running: 2, waiting: 0 } });
    try {
      const acme = await organization(narrow);
      const listeners = [];
      for (let i = 0; i < 10; i++) listeners.push(await new Listener(acme).begun());

      const lead = await acme.lead();

      for (const one of listeners) {
        assert.deepEqual(subjectsOf(await one.heardAll(1)), [lead.id]);
        await one.close();
      }
    } finally {
      await narrow.close();
    }
  });

  test("costs the log nothing that others cost it already: two hundred who ask the same are told by one reading", async () => {
    const acme = await organization();
    const members = await Promise.all(["admin", "admin", "admin"].map((role) => acme.member(role)));
    const everyone = [acme, ...members];
    const asksFor = async (count: number): Promise<number> => {
      const listeners = await Promise.all(
        Array.from({ length: count }, (_, i) => new Listener(everyone[i % everyone.length]!, "?event=lead.*").begun()),
      );
      // Streams that open at once catch up one by one. The first events may come from their own reading.
      await acme.lead();
      await Promise.all(listeners.map((one) => one.heardAll(1)));
      const asked = await countingReads(acme, async () => {
        for (let i = 0; i < 5; i++) {
          await acme.lead();
          await Promise.all(listeners.map((one) => one.heardAll(2 + i)));
        }
      });
      await Promise.all(listeners.map((one) => one.close()));
      return asked;
    };

    const ofFew = await asksFor(4);
    const ofMany = await asksFor(200);

    assert.ok(ofFew >= 5 && ofMany <= ofFew + 2, `${ofFew} readings for 4 streams, ${ofMany} for 200`);
  });

  test("asks the database for nothing once it is closed", async () => {
    const [quiet, busy] = [await startService(), await startService()];
    try {
      const [acme, other] = [await organization(quiet), await organization(busy)];
      await listening(acme, "", async (one) => {
        await acme.lead();
        await one.heardAll(1);
      });
      await until(async () => (await openStreams(acme)) === 0);

      // One service's reader needs this time, and the other's must be idle in it.
      const asked = await listening(other, "", (one) =>
        readingsOf(async (count) => one.until(() => count(busy) >= 10, "the reader reads")),
      );

      assert.ok(asked(busy) >= 10);
      assert.equal(asked(quiet), 0);
    } finally {
      await Promise.all([quiet.close(), busy.close()]);
    }
  });

  test("is refused with a reason where the process has as many as it can, and nothing else is", async () => {
    const small = await startService({ gate: { live: 2 } });
    try {
      const [acme, other] = [await organization(small), await organization(small)];
      await listening(acme, "", async (one) => {
        await listening(other, "", async () => {
          const refusal = await fetch(`${small.url}/api/v1/event/stream/`, { headers: { authorization: `Bearer ${acme.key}` } });

          assert.equal(refusal.status, 503);
          assert.match(
            ((await refusal.json()) as any).error,
            /has 2 streams open.* come back in a minute, and ask the list meanwhile/,
          );
          assert.equal(refusal.headers.get("retry-after"), "60");
          const lead = await acme.lead();
          assert.deepEqual(subjectsOf(await one.heardAll(1)), [lead.id]);
        });
        await until(async () => (await openStreams(acme)) === 1);
        await listening(acme, "", async (again) => assert.equal(again.status, 200));
      });
    } finally {
      await small.close();
    }
  });

  test("is one of a thousand of its organization at most", async () => {
    const crowded = await startService();
    try {
      const acme = await organization(crowded);
      const other = await organization(crowded);
      const listeners: Listener[] = [];
      while (listeners.length < 1000)
        listeners.push(...(await Promise.all(Array.from({ length: 100 }, () => new Listener(acme).begun()))));

      const refusal = await acme.ask("GET", "/event/stream/");

      assert.equal(refusal.status, 429);
      assert.match(refusal.body.error, /1000 streams/);
      await listening(other, "", async (one) => assert.equal(one.status, 200));
      await listeners.pop()!.close();
      await listening(acme, "", async (one) => assert.equal(one.status, 200));
      await Promise.all(listeners.map((one) => one.close()));
    } finally {
      await crowded.close();
    }
  });
});

async function openStreams({ service }: Workspace): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^headwater_http_streams (\d+)$/m.exec(text)![1]);
}

/** How many statements read events of this organization during `work`. */
async function countingReads(ws: Workspace, work: () => Promise<void>): Promise<number> {
  let count = 0;
  await hearing(({ text = "", values = [] }) => {
    if (/from stored_event/.test(text) && values.includes(ws.id)) count++;
  }, work);
  return count;
}

/** How often each service looks at the log during `work`. The service may still be reading while it waits. */
async function readingsOf(work: (count: (of: Service) => number) => Promise<void>): Promise<(of: Service) => number> {
  const counts = new Map<string, number>();
  const count = ({ databaseUrl }: Service) => counts.get(new URL(databaseUrl).pathname.slice(1)) ?? 0;
  await hearing(
    ({ text = "" }, { database = "" }) => {
      if (/event_epoch head|stored_event/.test(text)) counts.set(database, (counts.get(database) ?? 0) + 1);
    },
    () => work(count),
  );
  return count;
}

/** Calls back for every statement of this process during `work`. */
async function hearing(
  tell: (statement: { text?: string; values?: unknown[] }, client: pg.Client) => void,
  work: () => Promise<void>,
): Promise<void> {
  const { query } = pg.Client.prototype as { query: (...args: any[]) => unknown };
  pg.Client.prototype.query = function (this: pg.Client, ...args: any[]) {
    tell(args[0], this);
    return query.apply(this, args);
  } as typeof pg.Client.prototype.query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query as typeof pg.Client.prototype.query;
  }
}
