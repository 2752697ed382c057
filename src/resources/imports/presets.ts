// Lists the fields that columns can be mapped to.
import { z } from "zod";
import { operation } from "../../core/operation.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import { targetTypes } from "./target_lines.ts";
import { targetsOf } from "./targets.ts";
import { transforms } from "./transforms.ts";

const target = z.strictObject({
  target: z.string(),
  label: z.string(),
  type: z.string(),
  object_type: z.string().describe("The kind of record it belongs to."),
  required: z.boolean(),
  aliases: z.array(z.string()).describe("Other names that files have for it."),
  multiple: z.boolean().describe("Whether several columns may be mapped to it."),
  types: z.array(z.string()).optional().describe("Of addresses and numbers: what `contact.phone:mobile` may say."),
});

export const listPresets = operation({
  name: "import.presets",
  method: "GET",
  path: "/import/presets/",
  doc: "Lists the fields that columns of an import can be mapped to, including the organization's custom fields.",
  permission: "member",
  input: {
    object_type: z
      .enum(targetTypes)
      .default("lead")
      .describe("The kind of import; by default `lead`. `activity` for the activities that a row of leads may have."),
    ...pageInput,
  },
  output: pageOf(target).extend({
    presets: z.array(target).describe("The same as `data`."),
    transforms: z
      .array(z.strictObject({ transform: z.unknown(), doc: z.string() }))
      .describe("What a mapping may do to cells first."),
  }),
  async run(ctx, { object_type, ...given }) {
    const found = page(targetsOf(ctx.directory, object_type), given);
    return { ...found, presets: found.data, transforms };
  },
});
