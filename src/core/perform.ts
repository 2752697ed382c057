// Runs an operation. It knows nothing of HTTP: REST and the commands call `perform` alike.
import { hash } from "node:crypto";
import type { Readable } from "node:stream";
import type { Asker, Transaction } from "../db/database.ts";
import { asRefusal, missingReference } from "../db/refusals.ts";
import { trimmed } from "../values/trimmed.ts";
import type { Actor, Ctx, RequestFacts, Scope } from "./context.ts";
import type { Core } from "./core.ts";
import type { Directory } from "./directory.ts";
import { notAllowed, outlasting, Problem, paymentRequired, suspended } from "./errors.ts";
import { Content, type Given, JsonText, type Operation, type Parsed } from "./operation.ts";
import type { Registry } from "./registry.ts";

export interface Call {
  operation: Operation;
  actor: Actor;
  given: Given;
  request: RequestFacts;
  /** Put around a write, inside its transaction. */
  around?: Around;
  meta?: Ctx["meta"];
  asker?: Asker;
  /** Checks the caller again, for an operation that `lasts`. */
  authenticate?(): Actor | Promise<Actor>;
}

/** Answers a write, by `act` or otherwise: `records/idempotency.ts` and `records/dry_run.ts` do. */
export type Around = (ctx: Ctx, call: Call, act: () => Promise<Answered>) => Promise<Answered>;

/** What is sent back. `body` is finished JSON unless the headers name another type. A single record has the header `etag`. */
export interface Answered {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer | Readable;
}

/** Checks what the caller may do, parses the input, and runs the operation. A write runs in one transaction with its events. */
export async function perform(core: Core, call: Call): Promise<Answered> {
  const { operation, actor } = call;
  checkAllowed(actor, operation);
  const found = core.directories.of(actor.organization_id);
  const directory = found instanceof Promise ? await found : found;
  try {
    if (operation.prepare !== undefined) return await performPrepared(core, call, directory);
    if (operation.lasts) return await answer(lastingContext(core, call, directory), call);
    if (!operation.transaction) return await answer(contextFor(core, call, directory, null), call);
    return await write(core, call, directory);
  } catch (error) {
    throw asRefusal(error);
  }
}

const lastingContext = (core: Core, call: Call, directory: Directory): Ctx => ({
  ...contextFor(core, call, directory, null),
  lasting: {
    clock: core.clock,
    async later() {
      const actor = await call.authenticate!();
      checkAllowed(actor, call.operation);
      const known = await core.directories.of(actor.organization_id);
      return lastingContext(core, { ...call, actor }, known);
    },
  },
});

async function write(core: Core, call: Call, directory: Directory): Promise<Answered> {
  const { organization_id } = call.actor;
  const attempt = (known: Directory) =>
    core.db.transaction(organization_id, (tx) => answerWithin(contextFor(core, call, known, tx), call), call.asker);
  try {
    return await attempt(directory);
  } catch (error) {
    if (!isOfDirectory(core.registry, error)) throw error;
  }
  // The write used a record that was deleted meanwhile, such as the default status. Try once more with a new directory.
  core.directories.forget(organization_id);
  return attempt(await core.directories.of(organization_id));
}

/** True where the database refused the id of a record that the directory keeps. */
function isOfDirectory(registry: Registry, error: unknown): boolean {
  const missing = missingReference(error);
  if (missing === null) return false;
  const { table, field } = missing;
  const target = registry.resources.find((one) => one.table === table && one.fields[field]?.ref)?.fields[field].ref.to;
  return target !== undefined && registry.resource(target)?.cached === true;
}

/** Parses the input and fetches what it needs from outside before the transaction, which then only writes. */
async function performPrepared(core: Core, call: Call, directory: Directory): Promise<Answered> {
  const { operation, actor, given } = call;
  const outside = contextFor(core, call, directory, null);
  const { input, ignored } = understood(outside, operation, given);
  const prepared = await operation.prepare!(outside, input, given.upload ?? null);
  const parsed = { input, ignored, ready: prepared.ready };
  try {
    const work = (tx: Transaction) => answerWithin(contextFor(core, call, directory, tx), call, parsed);
    return await core.db.transaction(actor.organization_id, work, call.asker);
  } finally {
    await prepared.settle();
  }
}

/** Refuses what the caller may not do. Also called before the file of a request is received. */
export function checkAllowed(actor: Actor, operation: Operation): void {
  if (actor.limit_percent === 0) throw suspended();
  if (!actor.scopes.has(operation.scope)) throw new Problem(403, tooNarrow(actor, operation.scope));
  if (operation.outlasts && actor.oauth !== undefined) throw outlasting();
  if (operation.permission !== "member" && !actor.permissions.has(operation.permission)) throw notAllowed(operation.permission);
  if (actor.past_due && !operation.pastDue) throw paymentRequired("The account is past due: settle it to make changes again.");
}

const tooNarrow = ({ granted, oauth }: Actor, scope: Scope): string =>
  granted?.has(scope)
    ? `This needs the scope ${scope}: send it in the header Service-Scope, without which nothing wider is allowed.`
    : `This ${oauth === undefined ? "key" : "connection"} may not do that: it needs the scope ${scope}.`;

type Understood = Parsed<unknown> & { ready?: unknown };

const answerWithin = (ctx: Ctx, call: Call, parsed?: Understood): Promise<Answered> =>
  call.around === undefined ? answer(ctx, call, parsed) : call.around(ctx, call, () => answer(ctx, call, parsed));

async function answer(
  ctx: Ctx,
  { operation, given }: Call,
  parsed: Understood = understood(ctx, operation, given),
): Promise<Answered> {
  ctx.reply.status = operation.status;
  const { input, ignored, ready } = parsed;
  ctx.reply.ignored.push(...ignored);
  const output = await operation.run(ctx, input, ready);
  const { status, headers } = ctx.reply;
  if (ctx.reply.ignored.length > 0)
    headers["x-ignored-fields"] = ctx.reply.ignored.slice(0, ignoredMax).map(encodeURIComponent).join(",");
  if (output instanceof Content)
    return { status, headers: { ...headers, "content-type": output.type, ...output.headers }, body: output.body };
  if (!(output instanceof JsonText)) return { status, headers, body: JSON.stringify(trimmed(output, given.query._fields)) };
  if (output.version !== null) headers.etag = entityTag(output.version, output.text);
  return { status, headers, body: output.text };
}

/** The tag of a single record names the version and the bytes, so that another `_fields` is another entity. */
const entityTag = (version: number, text: string): string => `"${version}.${hash("sha1", text, "base64url").slice(0, 12)}"`;

const ignoredMax = 20;

/** Parses the request. A body that selects records must not hold unknown fields. */
const understood = (ctx: Ctx, operation: Operation, given: Given): Parsed<unknown> =>
  operation.parse(ctx, operation.narrows ? { ...given, strict: true } : given);

/** The context of one call. Also how the service acts by itself: on starting, in jobs and in commands. */
export function contextFor(
  core: Core,
  call: Pick<Call, "actor" | "request" | "asker" | "meta">,
  directory: Directory,
  tx: Transaction | null,
): Ctx {
  return {
    actor: call.actor,
    organization_id: call.actor.organization_id,
    directory,
    registry: core.registry,
    db: core.db,
    asker: call.asker ?? null,
    tx,
    now: core.clock(),
    request: call.request,
    reply: { status: 200, headers: {}, ignored: [] },
    meta: { ...call.meta },
    forget: core.forget,
    settings: core.settings,
  };
}
