// Where a lead stands.
import { choice, integer, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";

export const leadStatus = resource({
  name: "lead_status",
  prefix: "stat",
  path: "/status/lead",
  event: "status.lead",
  doc: "A step a lead can be at, such as Potential or Customer. The first one is given to new leads.",
  cached: true,
  order: "position",
  sort: { position: true, label: true },
  fields: {
    label: text({ required: true, doc: "Unique among the lead statuses." }),
    type: choice(["active", "won", "lost"], { doc: "What the status means for reports, where it means something." }),
    color: text({ max: 32 }),
    position: integer({ min: 0, default: 0, doc: "Its place in the order; at the end where not given." }),
  },
});
