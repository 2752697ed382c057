// `undo_changes`: takes back what a call, a change set or a run of an automation did.
import { z } from "zod";
import { writtenResult } from "../shape.ts";
import { tool } from "../tool.ts";

export const undoChanges = tool({
  name: "undo_changes",
  doc: "Takes back what one call changed, by the request_id of its answer; or a change set (header x-change-set) or a run by its name. What others changed since stays, and the answer says what could not be taken back and why, such as mail that left.",
  scope: "write_destructive",
  input: { id: z.string() },
  output: { record: z.looseObject({}), dry_run: z.boolean() },
  operations: ["change_set.undo"],
  run: async (call, { id }) => writtenResult(await call.perform("change_set.undo", { params: { id } })),
});
