// What a graph looks like: named steps, and at their ports the steps that follow.
export interface Step {
  type: string;
  type_version: number;
  name?: string;
  config: Record<string, unknown>;
  ports: Record<string, string | null>;
  on_error?: Record<string, unknown>;
  ui?: unknown;
}

export interface Graph {
  start: string | null;
  steps: Record<string, Step>;
  goals?: unknown[];
  exits?: unknown[];
  ui?: unknown;
}
