// A pipeline: the statuses that a deal goes through, from the first to won or lost.
import { z } from "zod";
import type { Directory } from "../../core/directory.ts";
import { input, integer, lookedUp, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { atEnd, positionMax } from "../shared/positions.ts";
import { statusTypes } from "./opportunity_status.ts";

const givenStatus = z.object({
  id: z.string().optional(),
  label: z.string().optional(),
  type: z.enum(statusTypes).optional(),
});

const shownStatus = z.object({ id: z.string(), label: z.string(), type: z.enum(statusTypes) });

export type GivenStatus = z.output<typeof givenStatus>;
type ShownStatus = z.output<typeof shownStatus>;

export const pipeline = resource({
  name: "pipeline",
  prefix: "pipe",
  doc: "The stages of a deal: an ordered set of statuses.",
  cached: true,
  order: "position",
  sort: { position: true, name: true },
  fields: {
    name: text({ required: true, doc: "Unique among the pipelines." }),
    statuses: input(z.array(givenStatus).max(100), {
      doc: "The statuses in their order. One without an id is created. Those left out stay, after the others. One of another pipeline moves here; a new pipeline copies it.",
      shown: lookedUp(["id"], z.array(shownStatus), statusesOf, "The statuses in their order."),
    }),
    position: integer({
      min: 0,
      max: positionMax,
      default: atEnd("pipeline"),
      doc: "Its place in the order; by default the end. The one at that place moves back.",
    }),
  },
});

function statusesOf(directory: Directory, id: string): ShownStatus[] {
  const all = directory.all("opportunity_status") as unknown as (ShownStatus & { pipeline_id: string })[];
  return all.filter((status) => status.pipeline_id === id).map(({ id, label, type }) => ({ id, label, type }));
}
