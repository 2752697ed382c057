// Where a deal stands in its pipeline.
import type { Ctx } from "../../core/context.ts";
import { choice, integer, label, ref, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { positionMax } from "../shared/positions.ts";

export const statusTypes = ["active", "won", "lost"] as const;
export type StatusType = (typeof statusTypes)[number];

export const opportunityStatus = resource({
  name: "opportunity_status",
  prefix: "stat",
  path: "/status/opportunity",
  event: "status.opportunity",
  doc: "A step of a pipeline, such as Proposal or Won.",
  cached: true,
  order: "position",
  sort: { position: true, label: true },
  fields: {
    label: text({ required: true, doc: "Unique in the pipeline." }),
    type: choice(statusTypes, { default: "active", doc: "What the status means: the deal is open, won or lost." }),
    pipeline_id: ref(
      "pipeline",
      { onDelete: "cascade", onMove: "keep" },
      { default: (ctx: Ctx) => ctx.directory.all("pipeline")[0]!.id as string, doc: "By default the first pipeline." },
    ),
    pipeline_name: label("pipeline_id", "pipeline", "name"),
    color: text({ max: 32 }),
    position: integer({
      min: 0,
      max: positionMax,
      filled: true,
      doc: "Its place in the pipeline, at the end by default. What stands there moves back.",
    }),
  },
});
