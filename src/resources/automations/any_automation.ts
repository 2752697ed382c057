// Automations of both generations in one table: what versions and runs belong to.
import { text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { automation } from "./automation.ts";
import { automations } from "./automations.ts";

export const anyAutomation = resource({
  name: "any_automation",
  prefix: "auto",
  table: "automation",
  kinds: { column: "generation", of: [automation, automations] },
  doc: "An automation of either generation.",
  event: null,
  fields: {
    generation: text({ required: true, readOnly: true }),
    name: text({ required: true, readOnly: true }),
    status: text({ required: true, readOnly: true }),
  },
});
