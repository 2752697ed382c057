// A lead status: how far the organization has come with a lead.
import { choice, integer, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { atEnd, positionMax } from "../shared/positions.ts";

export const leadStatus = resource({
  name: "lead_status",
  prefix: "stat",
  path: "/status/lead",
  event: "status.lead",
  doc: "A step a lead can be at, such as Potential or Customer. The first one is given to new leads.",
  cached: true,
  order: "position",
  sort: { position: true, label: true },
  elsewhere: { by: "label", instead: (_row, _here, there) => there.directory.all("lead_status")[0]!.id as string },
  fields: {
    label: text({ required: true, doc: "Unique among the lead statuses." }),
    type: choice(["active", "won", "lost"], { doc: "What the status means for reports, where it means something." }),
    color: text({ max: 32 }),
    position: integer({
      min: 0,
      max: positionMax,
      default: atEnd("lead_status"),
      doc: "Its place in the order, at the end by default. What stands there moves back.",
    }),
  },
});
