// Runs one call of a tool: checks its arguments, performs what it comes down to, and turns refusals into answers that an agent can
// act on.
import type { Actor } from "../core/context.ts";
import { invalid, Problem } from "../core/errors.ts";
import { type Given, type Operation, reportUnknown } from "../core/operation.ts";
import { type Answered, perform } from "../core/perform.ts";
import type { Asker } from "../db/database.ts";
import { dryRun, readDryRun } from "../records/dry_run.ts";
import { once } from "../records/idempotency.ts";
import { reasons } from "../values/reasons.ts";
import { unknownWithin } from "../values/unknown_keys.ts";
import type { Performed, Surroundings, Tool, ToolCall, ToolResult } from "./tool.ts";

/** The request that carries a call. */
export interface Caller {
  actor: Actor;
  requestId: string;
  offsetMinutes: number;
  hasOffset: boolean;
  asker: Asker;
}

export type Outcome = { result: ToolResult; isError: false } | { result: ToolResult; isError: true; status: number };

export async function callTool(surroundings: Surroundings, tool: Tool, caller: Caller, given: unknown): Promise<Outcome> {
  try {
    const input = readArguments(tool, given);
    const found = surroundings.core.directories.of(caller.actor.organization_id);
    const call: ToolCall = {
      ...surroundings,
      actor: caller.actor,
      directory: await found,
      perform(which, given) {
        const operation = typeof which === "string" ? surroundings.core.registry.operation(which)! : which;
        return performAs(surroundings, caller, input, operation, given);
      },
    };
    return { result: await tool.run(call, input), isError: false };
  } catch (error) {
    return refused(error);
  }
}

/** Reads the arguments by the tool's declaration. An unknown one is refused with the nearest name. */
function readArguments(tool: Tool, given: unknown): any {
  const values = given ?? {};
  if (typeof values !== "object" || Array.isArray(values)) throw invalid({ arguments: "must be an object" });
  reportUnknown(unknownWithin(tool.input, values), true);
  const read = tool.input.safeParse(values, { reportInput: true });
  if (!read.success) throw invalid(reasons(read.error));
  return read.data;
}

/** How a call performs its operations: only to try them, or once for a key. */
interface Manner {
  dry_run?: boolean;
  idempotency_key?: string;
}

async function performAs(
  { core }: Surroundings,
  { actor, requestId, offsetMinutes, hasOffset, asker }: Caller,
  { dry_run = false, idempotency_key: key }: Manner,
  operation: Operation,
  { params = {}, query = {}, body = {} }: Partial<Given>,
): Promise<Performed> {
  const { method } = operation;
  const wished = { params, query: dry_run ? { ...query, dry_run: "true" } : query, body, strict: true };
  const { given, isDry } = readDryRun(operation, wished);
  const answered = await (isDry ? dryRun : perform)(core, {
    operation,
    actor,
    given,
    request: {
      id: requestId,
      method,
      path: `/api/v1${operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(params[name]!))}`,
      offsetMinutes,
      hasOffset,
      ifMatch: null,
      strict: true,
    },
    asker,
    ...(key !== undefined && (method === "POST" || method === "PUT") && { around: once(key) }),
  });
  return parsed(answered);
}

function parsed({ status, headers, body }: Answered): Performed {
  const isJson = headers["content-type"] === undefined || headers["content-type"].startsWith("application/json");
  if (typeof body !== "string") throw new Error("a tool performs an operation that answers a file");
  return { status, body: isJson ? JSON.parse(body) : { text: body } };
}

/** A refusal in the words of REST, with what to do. */
function refused(error: unknown): Outcome {
  // What is our own failure, or a matter of the whole request, is answered by its HTTP status.
  if (!(error instanceof Problem) || error.status >= 500 || error.status === 401) throw error;
  const { status, message, fields } = error;
  const structured = { error: message, "field-errors": fields };
  return { isError: true, status, result: { structured, text: [message, ...reasonLines(fields)].join("\n") } };
}

const reasonLines = (fields: Problem["fields"]): string[] =>
  Object.entries(fields).map(([place, reason]) => `${place} ${reason}`);
