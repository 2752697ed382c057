// `?dry_run=true` on a write: it is checked and done, its answer and events are read, and its transaction is undone. So no record,
// event, job or key of it stays, and nothing leaves.
import { z } from "zod";
import type { Ctx } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import { invalid } from "../core/errors.ts";
import type { Given, JsonText, Operation } from "../core/operation.ts";
import { type Answered, type Around, type Call, perform } from "../core/perform.ts";
import { within } from "./around_write.ts";
import { budgeted } from "./budgets.ts";

/** Whether the operation can be tried. What has no transaction writes nothing. */
export const canBeTried = ({ method, transaction }: Operation): boolean => method !== "GET" && transaction;

/**
 * What is asked, and whether it is only to be tried. An operation that previews by itself is asked for that instead: it `isTried`,
 * uses no key, and is not `isDry`.
 */
export function readDryRun(operation: Operation, given: Given): { given: Given; isDry: boolean; isTried: boolean } {
  if (given.body.dry_run !== undefined) checkPlace(operation);
  const isPreview = operation.previews === true && given.body.dry_run === true;
  if (given.query.dry_run === undefined || !canBeTried(operation)) return { given, isDry: false, isTried: isPreview };
  const { dry_run, ...query } = given.query;
  if (dry_run !== "true" && dry_run !== "false") throw invalid({ dry_run: "must be true or false" });
  const isDry = dry_run === "true";
  if (!operation.previews) return { given: { ...given, query }, isDry, isTried: isDry };
  const body = { ...given.body, ...(isDry && { dry_run: true }) };
  return { given: { ...given, query, body }, isDry: false, isTried: isDry || isPreview };
}

/** In the body it belongs to few operations. Where it would be ignored, the write would be done. */
function checkPlace({ body, method }: Operation): void {
  const isKnown = method === "GET" || (body !== null && "shape" in body && Object.hasOwn(body.shape as object, "dry_run"));
  if (!isKnown) throw invalid({ dry_run: "belongs to the query of this path: ?dry_run=true" });
}

export const dryRunAnswer = z
  .strictObject({
    dry_run: z.literal(true),
    status: z.int().describe("The status that the write would answer."),
    result: z.unknown().describe("What it would answer. Its ids and dates are those of this try."),
    events: z
      .array(z.record(z.string(), z.unknown()))
      .describe("The events that the caller would see, in their order; at most 200."),
    has_more_events: z.literal(true).optional(),
  })
  .describe("What a write would do.");

/** What would have been answered. It is thrown, so that the transaction ends. */
class Undone extends Error {
  readonly answered: Answered;

  constructor(answered: Answered) {
    super("a dry run is undone");
    this.answered = answered;
  }
}

/** Answers 200 with a `dryRunAnswer`, or throws what the write would throw. `inner` is put around the write itself. */
export async function dryRun(core: Core, call: Call, inner?: Around): Promise<Answered> {
  try {
    // What is made ready before the transaction is told by it to ask nobody outside.
    return await perform(core, {
      ...call,
      // What the budget would refuse is refused; what it counts is undone with the rest.
      around: within(undo, inner === undefined ? budgeted : within(budgeted, inner)),
      meta: { ...call.meta, dry_run: true },
    });
  } catch (error) {
    if (error instanceof Undone) return error.answered;
    throw error;
  }
}

const undo: Around = async (ctx, _call, act) => {
  throw new Undone(await told(ctx, await act()));
};

async function told(ctx: Ctx, { status, headers, body }: Answered): Promise<Answered> {
  const { data, has_more } = await eventsOf(ctx);
  const events = JSON.stringify(data.reverse());
  const more = has_more ? `,"has_more_events":true` : "";
  const ignored = headers["x-ignored-fields"];
  return {
    status: 200,
    headers: ignored === undefined ? {} : { "x-ignored-fields": ignored },
    body: `{"dry_run":true,"status":${status},"result":${body},"events":${events}${more}}`,
  };
}

const eventsMost = 200;

async function eventsOf(ctx: Ctx): Promise<{ data: unknown[]; has_more: boolean }> {
  const list = ctx.registry.operation("event.list")!;
  const query = { request_id: ctx.request.id, _limit: String(eventsMost) };
  const { input } = list.parse(ctx, { params: {}, query, body: {}, strict: true });
  return JSON.parse(((await list.run(ctx, input)) as JsonText).text);
}
