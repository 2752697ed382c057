// What becomes of a number's record while it is being ported.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { wakeNumbers } from "./number_jobs.ts";
import { phoneNumber } from "./phone_number.ts";

type State = "pending" | "porting";

/** What is being ported is not rented. */
export async function moveNumbers(ctx: Ctx, numbers: readonly string[], from: State, to: State): Promise<void> {
  const moved = await lockToChange(ctx, phoneNumber, sql`t.number = any(${numbers}) and t.status = ${from}`);
  for (const one of moved) store.update(ctx, phoneNumber, one, { status: to, status_details: null });
  wakeNumbers(ctx, moved);
}
