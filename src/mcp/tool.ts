// A tool is one thing that an agent can do. What agents see, and what is checked before it runs, follows from its declaration.
import { z } from "zod";
import type { Actor, Ctx, Scope } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import type { Given, Operation } from "../core/operation.ts";
import type { Workspace } from "./caller.ts";
import type { Onward } from "./fit.ts";
import type { ObjectTypes } from "./object_types.ts";
import type { ToolResult } from "./result.ts";

export interface Annotations {
  readOnlyHint: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint: boolean;
}

export interface Tool<I = any> {
  name: string;
  doc: string;
  scope: Scope;
  annotations: Annotations;
  input: z.ZodObject;
  output: z.ZodObject;
  /** The operations that it may perform, by their names; who may do none of them does not see the tool. Empty for the generic ones. */
  operations: readonly string[];
  /** It is about workspaces, and there for whoever has lost the active one. */
  isOfWorkspaces?: boolean;
  /** The operation that a call comes down to. Its rate group counts. */
  behind(surroundings: Surroundings, given: Record<string, unknown>): Operation | null;
  run(call: ToolCall, input: I): Promise<ToolResult>;
  /** How the rest of a result that is too large is asked for. */
  onward?(input: I): Onward;
}

/** What a tool can see of the service without a caller. */
export interface Surroundings {
  core: Core;
  types: ObjectTypes;
}

/** One call of a tool by somebody, in the organization it is meant for. */
export interface ToolCall extends Surroundings {
  actor: Actor;
  /** Nothing is to be written: every write is only tried. */
  isDry: boolean;
  /** Where the caller may act. */
  workspaces(): Promise<readonly Workspace[]>;
  workspaceNamed(named: string): Promise<Workspace>;
  /** Performs an operation as REST would. */
  perform(operation: Operation | string, asked: Asked): Promise<Performed>;
}

export interface Asked extends Partial<Pick<Given, "params" | "query" | "body">> {
  /** The version that the record must still have. */
  version?: number;
  /** Looked at in the transaction, before it is written. It throws what is to happen instead. A dry run does without. */
  unless?(ctx: Ctx): Promise<void>;
  /** For a call that performs several operations: what tells this one from the others under one idempotency key. */
  part?: string;
}

export interface Performed {
  status: number;
  body: any;
  /** Of a single record. */
  version?: number;
  /** The request that wrote it, if this one only repeats that. */
  repeats?: string;
}

type Shape = Record<string, z.ZodType>;

interface ToolWords<S extends Shape> extends Pick<Tool, "name" | "doc" | "scope" | "isOfWorkspaces"> {
  annotations?: Partial<Annotations>;
  input: S;
  output: Shape;
  operations?: readonly string[];
  behind?: Tool["behind"];
  run(call: ToolCall, input: z.output<z.ZodObject<S>>): Promise<ToolResult>;
  onward?(input: z.output<z.ZodObject<S>>): Onward;
}

/** What tools take besides their own arguments: how a call is to be done. `run` is not given it. */
export interface Manner {
  /** The organization that this one call is meant for. */
  workspace?: string;
  /** Only tries what it writes. */
  dry_run?: boolean;
  /** A call that is repeated with the same key acts once. */
  idempotency_key?: string;
  /** How many records it destroys or changes, where these are many. */
  confirm?: number;
}

const everywhere = { workspace: z.string().optional() };
export const ofDestroying = { confirm: z.int().min(0).optional() };
const ofWrites = { dry_run: z.boolean().optional(), idempotency_key: z.string().min(1).max(255).optional() };

export function tool<S extends Shape>(words: ToolWords<S>): Tool<z.output<z.ZodObject<S>>> {
  const writes = words.scope !== "read";
  const { operations = [], behind = byName(operations) } = words;
  return {
    ...words,
    operations,
    behind,
    annotations: {
      readOnlyHint: !writes,
      ...(writes && { destructiveHint: words.scope === "write_destructive" }),
      openWorldHint: false,
      ...words.annotations,
    },
    input: z.strictObject({
      ...words.input,
      ...everywhere,
      ...(writes && ofWrites),
      ...(words.scope === "write_destructive" && ofDestroying),
    }),
    // Older clients hold refusals against it too, so nothing is required.
    output: z.object(words.output).partial(),
  };
}

const byName =
  ([first]: readonly string[]): Tool["behind"] =>
  ({ core }) =>
    first === undefined ? null : core.registry.operation(first)!;
