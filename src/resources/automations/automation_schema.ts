// `GET /automation_schema/`: the JSON Schema of an automation, made from the catalogs, for those who write graphs by hand or by a
// program. It describes what may stand where; which ports, ids and references fit together is checked by publishing.
import { z } from "zod";
import { operation } from "../../core/operation.ts";
import { type Config, schemaOf, type TypeDefinition } from "./catalog.ts";
import { conditionTypes } from "./condition_types.ts";
import { settings } from "./settings.ts";
import { stepTypes } from "./step_types.ts";
import { triggerTypes } from "./trigger_types.ts";
import { startsRuns } from "./triggers/trigger_type.ts";

type Schema = Record<string, unknown>;

const object = (properties: Record<string, Schema>, required: readonly string[] = [], more: Schema = {}): Schema => ({
  type: "object",
  properties,
  required: [...required],
  additionalProperties: false,
  ...more,
});
const to = (name: string): Schema => ({ $ref: `#/$defs/${name}` });
const text: Schema = { type: "string" };
const listOf = (items: Schema): Schema => ({ type: "array", items });
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] });

/** Literal values, or values that a run fills in. */
const propertiesOf = (config: Config, isFilledIn: boolean): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(config).map(([key, { schema }]) => [
      key,
      isFilledIn ? { anyOf: [schemaOf(schema), to("filled_in")] } : schemaOf(schema),
    ]),
  );

const requiredOf = (config: Config): string[] => Object.keys(config).filter((key) => config[key]!.required);

const typed = ({ type, description, config }: TypeDefinition, isFilledIn: boolean, more: Record<string, Schema>): Schema =>
  object(
    {
      type: { const: type },
      type_version: { const: 1 },
      config: object(propertiesOf(config, isFilledIn), requiredOf(config)),
      ...more,
    },
    ["type"],
    {
      description,
    },
  );

const stepMembers: Record<string, Schema> = {
  name: { type: "string", maxLength: 255 },
  ports: {
    type: "object",
    additionalProperties: orNull(text),
    description: "The step that follows at each port, or null for the end.",
  },
  on_error: { type: "object", description: "What follows when it fails: `{retry?, then?}`." },
  ui: {},
};

const watch = (more: Record<string, Schema>): Schema =>
  object({ id: text, event: text, match: { type: "object" }, ...more }, ["id", "event"]);

function schemaOfAutomation(): Schema {
  const steps = stepTypes.filter(({ run }) => run !== undefined);
  const conditions = conditionTypes.map(({ type, description, config }) =>
    object({ type: { const: type }, ...propertiesOf(config, true) }, ["type", ...requiredOf(config)], { description }),
  );
  const graph = object(
    {
      schema_version: { const: 1 },
      start: orNull(text),
      steps: { type: "object", propertyNames: { pattern: "^[a-z][a-z0-9_]{0,39}$" }, additionalProperties: to("step") },
      // oxlint-disable-next-line unicorn/no-thenable -- the wire's word for what follows
      goals: listOf(watch({ then: object({ goto: orNull(text) }) })),
      exits: listOf(watch({})),
      ui: {},
    },
    ["start", "steps"],
  );
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "An automation of Headwater",
    ...object(
      {
        name: text,
        description: text,
        trigger: { anyOf: [{ type: "string", description: "The name of an event." }, to("trigger")] },
        filter: orNull({ anyOf: [to("condition"), { type: "object", description: "A query of `POST /data/search/`." }] }),
        graph,
        settings: schemaOf(settings),
      },
      ["name", "trigger", "graph"],
    ),
    $defs: {
      filled_in: {
        anyOf: [object({ $ref: text }, ["$ref"]), object({ $template: text }, ["$template"])],
        description: "A value that a run fills in: what a path leads to, or a text.",
      },
      trigger: { anyOf: triggerTypes.filter(startsRuns).map((one) => typed(one, false, {})) },
      step: { anyOf: steps.map((one) => typed(one, true, stepMembers)) },
      condition: {
        anyOf: [
          object({ all: listOf(to("condition")) }, ["all"]),
          object({ any: listOf(to("condition")) }, ["any"]),
          object({ not: to("condition") }, ["not"]),
          ...conditions,
        ],
      },
    },
  };
}

// Made on request, because it is large.
let made: Schema | undefined;

export const automationSchema = operation({
  name: "automation_schema.get",
  method: "GET",
  path: "/automation_schema/",
  doc: "Returns the JSON Schema of an automation, with everything that this release carries out.",
  permission: "member",
  input: {},
  output: z.record(z.string(), z.unknown()),
  run: async () => (made ??= schemaOfAutomation()),
});
