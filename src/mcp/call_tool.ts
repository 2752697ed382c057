// Runs one call of a tool: checks its arguments, performs what it comes down to, and turns refusals into answers that an agent can
// act on.
import type { Actor, Ctx } from "../core/context.ts";
import { invalid } from "../core/errors.ts";
import { type Operation, reportUnknown } from "../core/operation.ts";
import { type Answered, type Around, type Call, perform } from "../core/perform.ts";
import { aroundWrite, within } from "../records/around_write.ts";
import { dryRun, readDryRun } from "../records/dry_run.ts";
import { firstRequest } from "../records/idempotency.ts";
import { attended } from "../records/unattended.ts";
import { parseShown, withoutLinks } from "../values/hidden.ts";
import { reasons } from "../values/reasons.ts";
import { unknownWithin } from "../values/unknown_keys.ts";
import type { Caller } from "./caller.ts";
import { checkConfirmed, needsConfirming } from "./confirm.ts";
import { fitted, nothingOnward, type Onward } from "./fit.ts";
import { toKnownPeople } from "./recipients.ts";
import { refusalOf } from "./refusal.ts";
import type { ToolResult } from "./result.ts";
import { byGetRecord } from "./shape.ts";
import type { Asked, Manner, Performed, Surroundings, Tool, ToolCall } from "./tool.ts";
import { actorFor, reachable, workspaceNamed } from "./workspaces.ts";

export interface Outcome {
  result: ToolResult;
  isError: boolean;
  /** 200, or that of the refusal. */
  status: number;
  /** In whose name, and in which organization. */
  actor: Actor;
}

export async function callTool(surroundings: Surroundings, tool: Tool, caller: Caller, given: unknown): Promise<Outcome> {
  let { actor, requestId: wrote } = caller;
  try {
    const { workspace, dry_run, idempotency_key, confirm, ...input } = readArguments(tool, given);
    const manner = { workspace, dry_run, idempotency_key };
    if (actor.lost !== undefined && workspace === undefined && !tool.isOfWorkspaces) throw actor.lost;
    actor = await actorFor(surroundings, caller, workspace);
    const call: ToolCall = {
      ...surroundings,
      actor,
      isDry: dry_run === true,
      workspaces: () => reachable(surroundings, caller),
      workspaceNamed: (named) => workspaceNamed(surroundings, caller, named),
      async perform(which, asked) {
        const operation = typeof which === "string" ? surroundings.core.registry.operation(which)! : which;
        const performed = (how: Manner) => performAs(surroundings, { ...caller, actor }, how, operation, asked);
        if (needsConfirming(operation, asked.body) && !call.isDry)
          await checkConfirmed(confirm, () => performed({ dry_run: true }));
        const answered = await performed(manner);
        wrote = answered.repeats ?? wrote;
        return answered;
      },
    };
    const { structured, text } = await tool.run(call, input);
    const isWritten = tool.scope !== "read" && !call.isDry;
    const whole = { structured: isWritten ? { ...structured, request_id: wrote } : structured, text };
    return { result: fitted(whole, onwardOf(tool, input, whole)), isError: false, status: 200, actor };
  } catch (error) {
    const { status, body, text } = refusalOf(error);
    return { result: fitted({ structured: { ...body }, text }, nothingOnward), isError: true, status, actor };
  }
}

/** What was written can be read, where it was a record. */
function onwardOf({ onward }: Tool, input: unknown, { structured }: ToolResult): Onward {
  if (onward !== undefined) return onward(input);
  return (structured.record as { id?: string } | undefined)?.id === undefined ? nothingOnward : byGetRecord();
}

/** Reads the arguments by the tool's declaration. An unknown one is refused with the nearest name. */
function readArguments(tool: Tool, given: unknown): Manner & Record<string, unknown> {
  const values = given ?? {};
  if (typeof values !== "object" || Array.isArray(values)) throw invalid({ arguments: "must be an object" });
  reportUnknown(unknownWithin(tool.input, values), true);
  const read = tool.input.safeParse(values, { reportInput: true });
  if (!read.success) throw invalid(reasons(read.error));
  return read.data as Manner & Record<string, unknown>;
}

async function performAs(
  { core }: Surroundings,
  { actor, requestId, offsetMinutes, hasOffset, asker, changeSet }: Caller,
  { dry_run = false, idempotency_key }: Manner,
  operation: Operation,
  { params = {}, query = {}, body = {}, version, part, unless }: Asked,
): Promise<Performed> {
  const { method } = operation;
  const key = idempotency_key === undefined || part === undefined ? idempotency_key : `${idempotency_key} ${part}`;
  // What a call reads on the way to its write is really read.
  const tries = dry_run && method !== "GET";
  const wished = { params, query: tries ? { ...query, dry_run: "true" } : query, body, strict: true };
  const { given, isDry, isTried } = readDryRun(operation, wished);
  const asItIs: Call = {
    operation,
    actor,
    given,
    request: {
      id: requestId,
      method,
      path: `/api/v1${operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(params[name]!))}`,
      offsetMinutes,
      hasOffset,
      ifMatch: version === undefined ? null : [version],
      strict: true,
      byTool: true,
    },
    asker,
  };
  if (isDry) return parsed(await dryRun(core, asItIs, within(attended, toKnownPeople)), core.settings.base_url);
  const inner = unless === undefined ? toKnownPeople : within(checked(unless), toKnownPeople);
  const kept = isTried || !isRepeatable(operation) ? null : (key ?? null);
  const around = operation.transaction && aroundWrite(operation, kept, changeSet, inner);
  return parsed(await perform(core, { ...asItIs, ...around }), core.settings.base_url);
}

const checked =
  (check: (ctx: Ctx) => Promise<void>): Around =>
  async (ctx, _call, act) => {
    await check(ctx);
    return act();
  };

const isRepeatable = ({ method }: Operation): boolean => method === "POST" || method === "PUT";

function parsed({ status, headers, body }: Answered, baseUrl: string): Performed {
  const isJson = headers["content-type"] === undefined || headers["content-type"].startsWith("application/json");
  if (typeof body !== "string") throw new Error("a tool performs an operation that answers a file");
  const version = /^"(\d+)\./.exec(headers.etag ?? "")?.[1];
  return {
    status,
    body: isJson ? parseShown(body, baseUrl) : { text: withoutLinks(body, baseUrl) },
    ...(version !== undefined && { version: Number(version) }),
    ...(headers[firstRequest] !== undefined && { repeats: headers[firstRequest] }),
  };
}
