// How the catalogs of automations say what a trigger, a condition or a step is: its type, and what its config takes.
import { z } from "zod";
import { isTimeZone } from "../../values/time.ts";

/** One entry of a config. */
export interface Parameter {
  schema: z.ZodType;
  required: boolean;
  /** Of ids: what they name, as resources are called. */
  names?: readonly string[];
}

export type Config = Record<string, Parameter>;

/** What is true of an effect when it is repeated: nothing, exactly once, the receiver tells, at most once, it destroys. */
export type SideEffect = "none" | "internal" | "keyed" | "at_most_once" | "destructive";

export interface TypeDefinition {
  type: string;
  label: string;
  description: string;
  category: string;
  /** The kinds of record it is for; empty for any. */
  object_types: readonly string[];
  config: Config;
  /** Of steps: where it goes on. A function where the config says so. */
  ports?: readonly string[] | ((config: Record<string, unknown>) => string[]);
  side_effect?: SideEffect;
}

export const need = (schema: z.ZodType): Parameter => ({ schema, required: true });
export const may = (schema: z.ZodType): Parameter => ({ schema, required: false });

/** An id, or a list of them, of something that is there. */
export const naming = (parameter: Parameter, ...names: string[]): Parameter => ({ ...parameter, names });

// --- values that several types take ---

export const recordTypes = [
  "lead",
  "contact",
  "opportunity",
  "task",
  "activity",
  "conversation",
  "custom_object",
  "project",
  "quote",
] as const;
export const objectType = z.enum(recordTypes);
export const id = z.string().min(1).max(64);
export const ids = z.array(id).min(1).max(200);
export const words = z.string().max(100_000);
export const label = z.string().min(1).max(255);
export const fieldName = z.string().min(1).max(255);
export const anything = z.unknown();
export const values = z.record(z.string(), z.unknown());
export const positive = z.int().min(1).max(1_000_000);
export const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day such as 09:00" });
export const zone = z.string().refine(isTimeZone, { error: "must be a time zone such as Europe/Berlin" });
export const units = ["minutes", "hours", "days", "weeks", "business_days"] as const;
export const duration = z.strictObject({ amount: z.int().min(1).max(1_000_000), unit: z.enum(units) });
export const direction = z.enum(["incoming", "outgoing"]);
export const oneOf = <const V extends readonly [string, ...string[]]>(...values: V) => z.enum(values);
export const someOf = <const V extends readonly [string, ...string[]]>(...values: V) => z.array(z.enum(values)).min(1).max(50);
export const activityKinds = someOf("note", "call", "email", "sms", "meeting", "channel_message", "custom");

/** A definition; its label is its type in words. */
export function define(
  category: string,
  type: string,
  description: string,
  config: Config = {},
  more: Partial<TypeDefinition> = {},
): TypeDefinition {
  const said = type.replaceAll(/[._]/g, " ");
  return { type, label: said[0]!.toUpperCase() + said.slice(1), description, category, object_types: [], config, ...more };
}

/** As the catalogs show a definition. */
export const shownType = z.strictObject({
  type: z.string(),
  version: z.int(),
  label: z.string(),
  description: z.string(),
  category: z.string(),
  object_types: z.array(z.string()).describe("The kinds of record it is for; empty for any."),
  config_schema: z.record(z.string(), z.unknown()).describe("JSON Schema of its config."),
  output_schema: z.record(z.string(), z.unknown()).nullable(),
  ports: z.array(z.string()).optional().describe("Of a step: where it goes on; further ones may follow from its config."),
  side_effect: z.boolean(),
  effect: z.string().describe("What is true when it is repeated: none, internal, keyed, at_most_once or destructive."),
  deprecated: z.boolean(),
});

export function showType(one: TypeDefinition): z.output<typeof shownType> {
  const { type, label, description, category, object_types, ports, side_effect = "none" } = one;
  return {
    type,
    version: 1,
    label,
    description,
    category,
    object_types: [...object_types],
    config_schema: jsonSchemaOf(one.config),
    output_schema: null,
    ...(ports !== undefined && { ports: typeof ports === "function" ? ports({}) : [...ports] }),
    side_effect: side_effect !== "none",
    effect: side_effect,
    deprecated: false,
  };
}

function jsonSchemaOf(config: Config): Record<string, unknown> {
  const entries = Object.entries(config);
  const schemaOf = ({ schema }: Parameter) => {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Record<string, unknown>;
    return rest;
  };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: Object.fromEntries(entries.map(([key, parameter]) => [key, schemaOf(parameter)])),
    required: entries.filter(([, { required }]) => required).map(([key]) => key),
    additionalProperties: false,
  };
}
