// What is found or else created is looked for by one at a time: whoever looks for the same meanwhile waits, and then finds what was created.
import { type Ctx, write } from "../../core/context.ts";

/** Until the end of the transaction. Values that differ in signs and spaces alone wait for each other too, which harms nothing. */
export function lockSought(ctx: Ctx, objectType: string, values: Readonly<Record<string, string>>): void {
  const sought = Object.entries(values).map(([field, value]) => `${field} ${value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")}`);
  write(ctx, {
    name: "automation.lock_sought",
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [[ctx.organization_id, "sought", objectType, ...sought.sort()].join("/")],
  });
}
