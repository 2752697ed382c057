// Writes the records of the demo by the verbs of their resources, as they would have been written at moments in the past: every rule
// holds, and what follows from a write (events, changes of status, threads) is dated as it.
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../app.ts";
import type { Actor, Ctx } from "../core/context.ts";
import { perform } from "../core/perform.ts";
import type { Resource, Row } from "../core/resource.ts";
import { actingAs } from "../records/acting.ts";
import { withEventsTogether } from "../records/events_together.ts";
import { readNested, readPatch } from "../records/input.ts";
import { createRecord, lockRecord, updateLocked } from "../records/records.ts";
import { newId } from "../values/id.ts";

/** Somebody at a moment. */
export interface Moment {
  by: Actor;
  at: Date;
}

export interface Scribe {
  /** The organization as it is now. Statuses and members are looked up in it. */
  ctx: Ctx;
  create<R extends Resource>(of: R, when: Moment, body: Record<string, unknown>, more?: Record<string, unknown>): Promise<Row<R>>;
  update<R extends Resource>(of: R, id: string, when: Moment, body: Record<string, unknown>): Promise<Row<R>>;
}

/** Runs `work` in one transaction. `counted` is called once for each record that was written, after the commit. */
export async function writing<T>(app: App, by: Actor, counted: () => void, work: (scribe: Scribe) => Promise<T>): Promise<T> {
  let written = 0;
  const answer = await patiently(() => {
    written = 0;
    return actingAs(app.core, by, { id: newId("req"), method: "", path: "demo" }, (ctx) =>
      withEventsTogether(ctx, (own) => work(scribeOf(own, () => written++))),
    );
  });
  for (; written > 0; written--) counted();
  return answer;
}

function scribeOf(ctx: Ctx, note: () => void): Scribe {
  const asOf = ({ by, at }: Moment): Ctx => ({ ...ctx, actor: by, now: at, request: { ...ctx.request, strict: true } });
  return {
    ctx,
    create(of, when, body, more = {}) {
      note();
      const own = asOf(when);
      return createRecord(own, of, { ...readNested(own, of, body, of.name), ...more });
    },
    async update(of, id, when, body) {
      note();
      const own = asOf(when);
      const before = await lockRecord(own, of, id);
      return updateLocked(own, of, before, readPatch(own, of, body, before));
    },
  };
}

/** A whole operation, as a request would run it, at a moment: for what is prepared outside of its transaction. */
export async function operate(
  app: App,
  { by, at }: Moment,
  name: string,
  body: object,
  params: Record<string, string> = {},
): Promise<any> {
  const operation = app.core.registry.operation(name);
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  const core = { ...app.core, clock: () => at };
  const request = { id: newId("req"), method: operation.method, path: operation.path, offsetMinutes: 0, ifMatch: null };
  const given = { params, query: {}, body: body as Record<string, unknown>, strict: true };
  const answer = await patiently(() => perform(core, { operation, actor: by, given, request }));
  return JSON.parse(String(answer.body));
}

/** A busy database refuses for now. The demo can wait and try again. */
async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if ((error as { status?: number }).status !== 503 || tries === 10) throw error;
      await sleep(1000);
    }
  }
}
