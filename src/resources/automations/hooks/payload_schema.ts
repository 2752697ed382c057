// The JSON Schema that the payload of a call must fit.
import { z } from "zod";

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
