// An opportunity status: a stage of a pipeline.
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
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
  elsewhere: { by: "label", which: inPipeline, instead: sameMeaning },
  fields: {
    label: text({ required: true, doc: "Unique in the pipeline." }),
    type: choice(statusTypes, { default: "active", doc: "The meaning of the status: the deal is open, won or lost." }),
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
      doc: "Its place in the pipeline, by default the end. The one at that place moves back.",
    }),
  },
});

interface Status {
  id: string;
  pipeline_id: string;
  type: StatusType;
}

const pipelineName = (directory: Directory, { pipeline_id }: Status): string =>
  (directory.find("pipeline", pipeline_id)?.name as string | undefined)?.toLowerCase() ?? "";

/** Of several statuses with the same label, the one in the pipeline of the same name. */
function inPipeline(alike: readonly Status[], row: Status, here: Directory, there: Directory): Status | undefined {
  return alike.find((one) => pipelineName(there, one) === pipelineName(here, row)) ?? alike[0];
}

/** The first status of the same type, in the pipeline of the same name if it has one. So a won deal stays won. */
function sameMeaning(row: Status, here: Ctx, there: Ctx): string {
  const statuses = there.directory.all("opportunity_status") as unknown as Status[];
  const inOrder = there.directory.all("pipeline").flatMap(({ id }) => statuses.filter((one) => one.pipeline_id === id));
  const same = inOrder.filter((one) => one.type === row.type);
  return (inPipeline(same, row, here.directory, there.directory) ?? inOrder[0]!).id;
}
