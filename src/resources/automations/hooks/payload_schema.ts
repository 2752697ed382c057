// The JSON Schema that the payload of a call, or the input of a run, must fit.
import { z } from "zod";
import { invalid } from "../../../core/errors.ts";
import { reasons } from "../../../values/reasons.ts";

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

export const payloadSchema = z.record(z.string(), z.unknown()).superRefine((given, check) => {
  try {
    z.fromJSONSchema(given as JsonSchema);
  } catch (error) {
    check.addIssue({ code: "custom", message: `is no JSON Schema that can be checked: ${(error as Error).message}` });
  }
});

export const fitsSchema = (schema: unknown, payload: unknown): boolean =>
  schema == null || z.fromJSONSchema(schema as JsonSchema).safeParse(payload).success;

/** The same, with the reasons by their places below `at`. */
export function checkSchema(schema: unknown, input: unknown, at: string): void {
  if (schema == null) return;
  const read = z.fromJSONSchema(schema as JsonSchema).safeParse(input, { reportInput: true });
  if (!read.success) throw invalid(reasons(read.error, at));
}
