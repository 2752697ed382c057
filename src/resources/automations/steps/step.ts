// A kind of step: one declaration with all that is to be known of it: what its config takes, what it leaves, its ports, its effect, and
// how it runs. The catalog, the checks of publishing and the interpreter are made from it.
//
// To make a further one run: give its declaration a `run`, and an example in the tests, which ask for one.
import type { Ctx } from "../../../core/context.ts";
import type { Core } from "../../../core/core.ts";
import type { Resource, Row } from "../../../core/resource.ts";
import type { automationRun } from "../automation_run.ts";
import type { TypeDefinition } from "../catalog.ts";
import type { Facts } from "../facts.ts";
import type { Step } from "../graph_shape.ts";
import type { Loop } from "../loops.ts";
import type { StepFailure } from "../step_failure.ts";
import type { Trace } from "../trace.ts";

export interface StepType extends TypeDefinition {
  /**
   * Carries it out, in the transaction that also stores its result and the next step: what it writes is there exactly once. It calls
   * nothing outside. Without it the step is only declared, and publishing refuses it.
   */
  run?(call: Call): Promise<Outcome> | Outcome;
  /**
   * For a step that its run comes back to: how it goes on from where it was, before its config is filled in once more. Null to begin
   * anew.
   */
  again?(ctx: Ctx, run: Call["run"], stepId: string): Promise<Outcome | null>;
  /**
   * For a step that waits for answers: what they come to by now. Null while it waits on, or to leave by the port of its time when that
   * is over.
   */
  awaited?(pending: Pending): Promise<Outcome | null>;
  /** Its config as step runs show it: without secrets. By default all of it. */
  shown?(config: Record<string, any>): object;
  /** For a step that asks another service: what follows the first half, which `run` is. */
  outside?: Outside;
  /** It reaches people or other services, at once or later. */
  speaks?: boolean | ((config: Record<string, any>) => boolean);
  /** The automation that it starts; no text where only the run knows which. */
  starts?(config: Record<string, unknown>): unknown;
  /** It talks to people: it waits for the hours of the automation, unless its `respect_window` is false. */
  keepsHours?: boolean;
  /** What of its config is not carried out yet, in words; null for nothing. */
  lacks?(config: Record<string, any>): string | null;
  /**
   * Which operation of the record's area it stands for: its permission is that of the step. The kind of record is by default the one the
   * automation is about.
   */
  does?: { verb: "create" | "update" | "delete"; kind?(config: Record<string, any>): unknown };
  /** How it is simulated, inside a transaction that is rolled back. By default it runs there as it is. */
  simulate?(call: Call): Promise<Outcome> | Outcome;
}

/**
 * The second half of a step that asks another service. Its `run` says what will be asked, and this is stored before anything is sent.
 * After a crash the same is asked again with the same key, by which the receiver detects it.
 */
export interface Outside {
  /** Outside of any transaction, and for no longer than this. What it returns is stored. */
  perform(core: Core, request: any, key: string, mostMs: number): Promise<Receipt>;
  /** What follows from the answer. */
  outcome(receipt: Receipt, request: any, ports: Step["ports"]): Outcome | StepFailure;
}

export interface Receipt {
  /** Null when there was no answer. */
  status: number | null;
  [fact: string]: unknown;
}

export interface Call {
  /** Acts with the present rights of the member in whose name the automation runs. */
  ctx: Ctx;
  run: Row<typeof automationRun>;
  step_id: string;
  /** Who does what nobody else is named for: the record's owner, else who made the automation. */
  fallback_user_id: string | null;
  facts: Facts;
  /** With references and templates filled in. */
  config: Record<string, any>;
  /** The config as its author wrote it. */
  written: Record<string, unknown>;
  /** What the conditions that it asks find is added here. */
  trace: Trace;
  /** The record of the run, locked, where the step changes that one. */
  locked: { kind: Resource; row: Row<Resource> } | null;
}

/** A step that waits, with its config and its output as they were when the wait began. */
export interface Pending extends Pick<Call, "ctx" | "run" | "step_id" | "config"> {
  output: unknown;
  isOver: boolean;
}

export interface Outcome {
  /** The port it leaves by; by default `out`. */
  port?: string;
  output?: unknown;
  /** What another service will be asked, in the words of the step's `outside`. The step has no result yet. */
  ask?: object;
  /** What the step run keeps of its config, where the whole is not needed. */
  input?: object;
  /** The loops that the run is in from now on. */
  loops?: readonly Loop[];
  /** The step to go on with, instead of that of a port. */
  next?: string;
  /** Added to the variables of the run. */
  vars?: Record<string, unknown>;
  wait?: Wait;
  /** Ends the run here. */
  end?: { status: "completed" | "failed"; message: string | null; outcome?: string | null };
}

export interface Wait {
  until: Date;
  /** The port when the time has come. */
  port: string;
  event?: {
    names: string[];
    match: Record<string, unknown>;
    where: unknown;
    /** Events since then count too. */
    since: string;
    port: string;
  };
  /** Whatever happens to these records, the step is asked what was `awaited`. */
  records?: readonly string[];
  /** What it waits for, in a word. */
  kind?: string;
  condition?: {
    when: unknown;
    port: string;
  };
}

/** For declarations: what happens inside the database, and leaves by `out`. */
export const internal = { ports: ["out"], side_effect: "internal" } as const;
