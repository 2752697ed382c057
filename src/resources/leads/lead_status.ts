// A lead status: how far the organization has come with a lead.
import { choice, integer, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { atEnd, positionMax } from "../shared/positions.ts";

export const leadStatus = resource({
  name: "lead_status",
  prefix: "stat",
  path: "/status/lead",
  event: "status.lead",
  doc: "The stage of a lead, such as Potential or Customer. New leads get the first one.",
  cached: true,
  order: "position",
  sort: { position: true, label: true },
  elsewhere: { by: "label", instead: (_row, _here, there) => there.directory.all("lead_status")[0]!.id as string },
  fields: {
    label: text({ required: true, doc: "Unique among the lead statuses." }),
    type: choice(["active", "won", "lost"], { doc: "The meaning of the status in reports; null for none." }),
    color: text({ max: 32 }),
    position: integer({
      min: 0,
      max: positionMax,
      default: atEnd("lead_status"),
      doc: "Its place in the order; by default the end. The one at that place moves back.",
    }),
  },
});
