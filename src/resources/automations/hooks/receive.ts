// /hooks/{token}: the address of an automation, for other services. A call is verified, stored as an event once, and answered. A job
// starts the automation then. What one sender does wrong counts only for the address that it calls, because many organizations are
// called from the same addresses of a provider.
import { createHash } from "node:crypto";
import { type CalledHook, findCalledHook, hashOf } from "../../../auth/unscoped.ts";
import { type Ctx, query, transactionOf } from "../../../core/context.ts";
import type { Core } from "../../../core/core.ts";
import { Problem } from "../../../core/errors.ts";
import { Content } from "../../../core/operation.ts";
import { wake } from "../../../jobs/job.ts";
import { asSystem, readingAs, systemActor } from "../../../records/acting.ts";
import { emitPlain } from "../../../records/event.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../../records/public_route.ts";
import { chainHeader, chainMeta, readChain } from "../../../services/chain.ts";
import { pgTimestamp } from "../../../values/time.ts";
import { hookJobs } from "../names.ts";
import { hookTrigger, type Owner, openHook } from "./hook.ts";
import type { Verification } from "./verification.ts";
import { isVerified } from "./verify.ts";

export const hookAddress: PublicRoute = {
  name: "automations.hook",
  path: "/hooks/{token}",
  doc: "The address of an automation that other services start: JSON or a form of at most 256 KB, also as gzip, signed as the automation says.",
  methods: ["POST"],
  group: "hook",
  raw: true,
  run: async (core, request) => {
    const called = await hookBehind(core, request.params.token!);
    if (called === null) return nothingHere;
    const ctx = await readingAs(core, systemActor(called.organization_id), occasionOf(request));
    const hook = await readHook(ctx, called);
    if (hook === null) return nothingHere;
    if (!isVerified(hook.verification, hook.secrets, request, ctx.now)) return refuse(core, called, request);

    request.take(`hook ${called.id}`);
    const payload = request.parsed();
    const event_id = await inside(core, called, request, (inner) => store(inner, called.id, hook.verification, request, payload));
    return { status: 202, content: json({ event_id, ...(hook.isPaused && { ignored: true }) }) };
  },
};

/** The token does not appear in events. */
const occasionOf = ({ requestId, method }: PublicRequest) => ({ id: requestId, method, path: "/hooks/" });

const inside = <T>(core: Core, { organization_id }: CalledHook, request: PublicRequest, act: (ctx: Ctx) => Promise<T>) =>
  asSystem(core, organization_id, occasionOf(request), (ctx) => {
    const chain = readChain(ctx.settings.secrets, organization_id, request.headers[chainHeader], ctx.now);
    if (chain !== null) Object.assign(ctx.meta, chainMeta(chain));
    return act(ctx);
  });

const json = (body: object): Content => new Content("application/json; charset=utf-8", JSON.stringify(body));

const nothingHere: PublicAnswer = {
  status: 404,
  content: json({ error: "There is nothing at this address.", "field-errors": {} }),
};

const hookBehind = async (core: Core, token: string): Promise<CalledHook | null> =>
  /^[\w-]{22}$/.test(token) ? findCalledHook(core.db, hashOf(token)) : null;

interface Hook {
  verification: Verification;
  /** The present one, and for a day the former. */
  secrets: string[];
  /** Calls are kept, and start nothing. */
  isPaused: boolean;
}

/** Null while the active version has another trigger. */
async function readHook(ctx: Ctx, owner: Owner): Promise<Hook | null> {
  const [row] = await query(ctx, {
    name: "automation.hook",
    text: `select published, sealed_hook_secret, sealed_hook_previous, hook_previous_until, status = 'paused' from automation
           where organization_id = $1 and id = $2 and status in ('active', 'paused')`,
    values: [ctx.organization_id, owner.id],
  });
  if (row === undefined) return null;
  const [published, secret, previous, until, isPaused] = row;
  const { trigger } = JSON.parse(published!);
  if (trigger.type !== hookTrigger) return null;
  const secrets = [openHook(ctx.settings.secrets, owner, "sealed_hook_secret", secret!)];
  if (previous !== null && Date.parse(pgTimestamp(until!)) > ctx.now.getTime())
    secrets.push(openHook(ctx.settings.secrets, owner, "sealed_hook_previous", previous!));
  return { verification: trigger.config.verification, secrets, isPaused: isPaused === "t" };
}

/** It is counted, and nothing of it is kept. Who sends very many learns only that these are too many. */
async function refuse(core: Core, called: CalledHook, request: PublicRequest): Promise<never> {
  request.take(`refused hook ${called.id}`);
  await inside(core, called, request, async (ctx) =>
    transactionOf(ctx).write({
      name: "automation.hook_refused",
      text: "update automation set hook_refused = hook_refused + 1 where organization_id = $1 and id = $2",
      values: [ctx.organization_id, called.id],
    }),
  );
  throw new Problem(401, "The signature is missing or wrong, or the call is older than five minutes.");
}

// --- storing it ---

/** The id of the event. A repeated call gets that of the first one. */
async function store(ctx: Ctx, id: string, by: Verification, request: PublicRequest, payload: object): Promise<string> {
  const key = repetitionKey(by, request);
  const known = await firstEventOf(ctx, id, key);
  if (known !== null) return known;
  const event_id = emitPlain(
    ctx,
    "webhook",
    "received",
    { object_id: id, lead_id: null },
    { payload, headers: keptHeaders(request) },
  );
  transactionOf(ctx).write({
    name: "received_hook.insert",
    text: `update received_hook set event_id = $4 where organization_id = $1 and automation_id = $2 and key = $3`,
    values: [ctx.organization_id, id, key, event_id],
  });
  wake(ctx, hookJobs, [event_id]);
  return event_id;
}

const repetitionsMs = 72 * 3_600_000;

/** Null for a new call, which from now on is known. Two at once wait for each other here. */
async function firstEventOf(ctx: Ctx, id: string, key: string): Promise<string | null> {
  const [isNew] = await transactionOf(ctx).read({
    name: "received_hook.claim",
    text: `insert into received_hook (organization_id, automation_id, key, event_id, date_created) values ($1, $2, $3, '', $4)
           on conflict (organization_id, automation_id, key) do update set date_created = excluded.date_created
             where received_hook.date_created < $5 returning key`,
    values: [ctx.organization_id, id, key, ctx.now, new Date(ctx.now.getTime() - repetitionsMs)],
  });
  if (isNew !== undefined) return null;
  const [row] = await transactionOf(ctx).read({
    name: "received_hook.first",
    text: "select event_id from received_hook where organization_id = $1 and automation_id = $2 and key = $3",
    values: [ctx.organization_id, id, key],
  });
  return row![0]!;
}

/** By the sender's id where it is signed or the sender is trusted, else by the body: whoever copies a call could give it a new id. */
function repetitionKey({ mode }: Verification, { headers, bytes }: PublicRequest): string {
  const id = headers["webhook-id"];
  const hash = createHash("sha256");
  return typeof id === "string" && mode !== "hmac_custom"
    ? hash.update(`id ${id}`).digest("hex")
    : hash.update("body ").update(bytes).digest("hex");
}

/** What steps may know of the headers: what was sent, never what it was signed with. */
const allowed =
  /^(content-type|user-agent|webhook-(id|timestamp)|x-github-(event|delivery)|x-gitlab-event|x-shopify-(topic|shop-domain|webhook-id|event-id)|x-event-(key|name|type)|x-request-id)$/;

const keptHeaders = ({ headers }: PublicRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" && allowed.test(name) ? [[name, value]] : [])),
  );
