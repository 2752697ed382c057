// Lists the fields that columns can be mapped to.
import { z } from "zod";
import { operation } from "../../core/operation.ts";
import { page, pageInput } from "../../records/page.ts";
import { targetsOf, targetTypes } from "./targets.ts";

const target = z.strictObject({
  target: z.string(),
  label: z.string(),
  type: z.string(),
  object_type: z.string().describe("The kind of record it belongs to."),
  required: z.boolean(),
  aliases: z.array(z.string()).describe("Other names by which files call it."),
  multiple: z.boolean().describe("Several columns may go there."),
});

export const listPresets = operation({
  name: "import.presets",
  method: "GET",
  path: "/import/presets/",
  doc: "Lists what the columns of an import can be mapped to, the organization's custom fields included.",
  permission: "member",
  input: {
    object_type: z
      .enum(targetTypes)
      .default("lead")
      .describe("The kind of import, `lead` where nothing is said; `activity` for what any of leads brings along."),
    ...pageInput,
  },
  output: z.strictObject({ data: z.array(target), has_more: z.boolean(), presets: z.array(target).describe("The same.") }),
  async run(ctx, { object_type, ...given }) {
    const found = page(targetsOf(ctx.directory, object_type), given);
    return { ...found, presets: found.data };
  },
});
