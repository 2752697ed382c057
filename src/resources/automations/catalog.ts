// How the catalogs describe a trigger, a condition or a step: its type, and what its config takes.
import { z } from "zod";
import { isTimeZone } from "../../values/time.ts";

/** One member of a config. */
export interface Parameter {
  schema: z.ZodType;
  required: boolean;
  /** For ids: the resources that they may name. */
  names?: readonly string[];
  /** It is taken as it is written, also where it has members such as `$ref`. */
  verbatim?: boolean;
}

export type Config = Record<string, Parameter>;

/** The effect of a repeated step: no effect, exactly once, the receiver detects it, at most once, or destructive. */
export type SideEffect = "none" | "internal" | "keyed" | "at_most_once" | "destructive";

export interface TypeDefinition {
  type: string;
  label: string;
  description: string;
  category: string;
  /** The kinds of record it works on. Empty for any. */
  object_types: readonly string[];
  config: Config;
  /** For steps: the ports to the next steps. A function when they depend on the config. */
  ports?: readonly string[] | ((config: Record<string, unknown>) => string[]);
  side_effect?: SideEffect;
  /** For steps: what it leaves to later ones, as `steps.<id>.output`. */
  output?: z.ZodType;
}

export const need = (schema: z.ZodType): Parameter => ({ schema, required: true });
export const may = (schema: z.ZodType): Parameter => ({ schema, required: false });

/** A JSON Schema has a `$ref` of its own. */
export const verbatim = (parameter: Parameter): Parameter => ({ ...parameter, verbatim: true });

/** An id, or a list of ids, of existing records. */
export const naming = (parameter: Parameter, ...names: string[]): Parameter => ({ ...parameter, names });

// --- values that several types share ---

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

/** Makes the function that declares types of one catalog. A declaration's label is its type in words. */
export const defining =
  <T extends TypeDefinition>() =>
  (category: string, type: string, description: string, config: Config = {}, more: Partial<T> = {}): T => {
    const said = type.replaceAll(/[._]/g, " ");
    const label = said[0]!.toUpperCase() + said.slice(1);
    return { type, label, description, category, object_types: [], config, ...more } as unknown as T;
  };

/** A definition as the catalogs show it. */
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
  sql: z.boolean().optional().describe("Of a condition: whether the database can find the records that meet it."),
  side_effect: z.boolean(),
  effect: z.string().describe("The effect of repeating it: none, internal, keyed, at_most_once or destructive."),
  available: z.boolean().describe("Whether this release carries it out. Publishing refuses what it does not."),
  deprecated: z.boolean(),
});

export function showType(one: TypeDefinition, available: boolean): z.output<typeof shownType> {
  const { type, label, description, category, object_types, ports, side_effect = "none" } = one;
  return {
    type,
    version: 1,
    label,
    description,
    category,
    object_types: [...object_types],
    config_schema: jsonSchemaOf(one.config),
    output_schema: one.output === undefined ? null : schemaOf(one.output),
    ...(ports !== undefined && { ports: typeof ports === "function" ? ports({}) : [...ports] }),
    side_effect: side_effect !== "none",
    effect: side_effect,
    available,
    deprecated: false,
  };
}

function jsonSchemaOf(config: Config): Record<string, unknown> {
  const entries = Object.entries(config);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: Object.fromEntries(entries.map(([key, parameter]) => [key, schemaOf(parameter.schema)])),
    required: entries.filter(([, { required }]) => required).map(([key]) => key),
    additionalProperties: false,
  };
}

export function schemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Record<string, unknown>;
  return rest;
}
