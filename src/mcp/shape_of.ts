// What a value is made of, in one short line: `[{email: string, type?: office|home}]`.
import { z } from "zod";

interface Json {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Json[];
  items?: Json;
  properties?: Record<string, Json>;
  required?: string[];
}

/** Deeper parts, and longer lists of choices, are only named. */
const depthMost = 3;
const choicesMost = 12;

export const shapeOf = (schema: z.ZodType): string =>
  inShort(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Json, 0);

function inShort({ type, enum: choices, anyOf, items, properties, required = [] }: Json, depth: number): string {
  if (choices !== undefined && choices.length <= choicesMost) return choices.join("|");
  if (anyOf !== undefined)
    return [...new Set(anyOf.map((one) => inShort(one, depth)))].filter((one) => one !== "null").join(" or ");
  if (items !== undefined) return `[${depth < depthMost ? inShort(items, depth + 1) : "…"}]`;
  if (properties === undefined || depth >= depthMost) return [type ?? "any"].flat().join(" or ");
  const members = Object.entries(properties).map(
    ([key, one]) => `${key}${required.includes(key) ? "" : "?"}: ${inShort(one, depth + 1)}`,
  );
  return `{${members.join(", ")}}`;
}
