// The JSON Schema that the payload of a call, or the input of a run, must fit. Its patterns are its author's, and may take for ever: checking
// is bounded, and a schema that took too long a few times is not tried again for ten seconds.
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { invalid } from "../../../core/errors.ts";
import { TookTooLong, withinTime } from "../../../services/within_time.ts";
import { reasons } from "../../../values/reasons.ts";

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

/** So long that a machine which is busy with other things does not seem slow. */
const mostMs = 200;
/** How often each schema has taken too long. One bad value shall not keep the good ones out, and many shall not hold up everybody. */
const slow = new LRUCache<string, number>({ max: 1000, ttl: 10_000 });
const slowMost = 5;

function checked<T>(schema: unknown, act: (schema: z.ZodType) => T): T {
  const key = JSON.stringify(schema);
  const slowTimes = slow.get(key) ?? 0;
  if (slowTimes >= slowMost) throw new TookTooLong();
  const read = z.fromJSONSchema(schema as JsonSchema);
  try {
    return withinTime(mostMs, () => act(read));
  } catch (error) {
    if (error instanceof TookTooLong) slow.set(key, slowTimes + 1);
    throw error;
  }
}

export const payloadSchema = z.record(z.string(), z.unknown()).superRefine((given, check) => {
  try {
    z.fromJSONSchema(given as JsonSchema);
  } catch (error) {
    check.addIssue({ code: "custom", message: `is no JSON Schema that can be checked: ${(error as Error).message}` });
  }
});

export function fitsSchema(schema: unknown, payload: unknown): boolean {
  if (schema == null) return true;
  try {
    return checked(schema, (one) => one.safeParse(payload).success);
  } catch (error) {
    if (error instanceof TookTooLong) return false;
    throw error;
  }
}

const tooSlow =
  "takes too long to check: a pattern of its schema tries too many ways. Write the pattern without repetitions within repetitions, such as ^(a+)+$";

/** The same, with the reasons by their places below `at`. */
export function checkSchema(schema: unknown, input: unknown, at: string): void {
  if (schema == null) return;
  try {
    const read = checked(schema, (one) => one.safeParse(input, { reportInput: true }));
    if (!read.success) throw invalid(reasons(read.error, at));
  } catch (error) {
    if (error instanceof TookTooLong) throw invalid({ [at]: tooSlow });
    throw error;
  }
}
