// Jobs for numbers at the provider. There is one for each number and not for each record, so that for a number that is deleted
// and added again, nothing happens twice or in the wrong order.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { wake } from "../../jobs/job.ts";
import { phoneNumber } from "./phone_number.ts";

/** The object of a job is the number itself, as E.164. */
export const numberJobs = { kind: "phone_number" } as const;

/**
 * Wakes the jobs of numbers that were added, changed their carrier, or are to be given back. Other carriers' numbers do not
 * concern the provider.
 */
export function wakeNumbers(ctx: Ctx, numbers: readonly Pick<Row<typeof phoneNumber>, "type" | "number">[]): void {
  const ours = numbers.filter(({ type }) => type === "internal");
  wake(
    ctx,
    numberJobs,
    ours.map(({ number }) => number),
  );
}

/** Credentials were stored: waiting numbers are rented, and all of them get the new address. */
export const wakeAllNumbers = (ctx: Ctx): void => wakeNumbers(ctx, ctx.directory.list(phoneNumber));
