// Work in the background that a request began, such as a bulk action: work of its own takes it back.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { JsonText } from "../../core/operation.ts";
import { checkAllowed } from "../../core/perform.ts";
import type { Past } from "./past.ts";

export interface Started {
  object_type: string;
  object_id: string;
  n_records: number;
}

interface Way {
  /** The operation that begins to take it back. */
  operation: string;
  /** Whether the request began it. */
  isBegun(past: Past): boolean;
  /** Of its answer: how many records that is about, and what to ask how far it is. */
  started(answer: Record<string, any>): Started;
}

const ofBulk: Way = {
  operation: "bulk_action.undo",
  isBegun: ({ isCreated, object_type }) => isCreated && object_type !== "bulk_action.undo",
  started: ({ id, n_objects }) => ({ object_type: "bulk_action.undo", object_id: id, n_records: n_objects }),
};

/** It is created as a draft, and begins when it is queued. */
const ofImport: Way = {
  operation: "import.revert",
  isBegun: ({ events }) =>
    events.some(({ data, changed_fields }) => changed_fields.includes("status") && data.status === "queued"),
  started: ({ id, n_created, n_updated }) => ({ object_type: "import", object_id: id, n_records: n_created + n_updated }),
};

const ways: ReadonlyMap<string, Way> = new Map([
  ["bulk_action", ofBulk],
  ["import", ofImport],
]);

export const isBegunWork = (past: Past): boolean => ways.get(past.of.name)?.isBegun(past) === true;

/** Begins to take it back, by the rights and limits of whoever would do that by hand. */
export async function takeBackWork(ctx: Ctx, { of, object_id }: Past): Promise<Started> {
  const way = ways.get(of.name)!;
  const operation = ctx.registry.operation(way.operation)!;
  checkAllowed(ctx.actor, operation);
  const own = { ...ctx, reply: { status: 200, headers: {}, ignored: [] } };
  const answer = (await operation.run(own, { id: object_id })) as JsonText;
  const started = way.started(JSON.parse(answer.text));
  if (started.n_records === 0) throw invalid({}, "did nothing that could be undone");
  return started;
}
