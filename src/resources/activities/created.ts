// The activity that says when a lead was created.
import { text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { act, kind, leftBehind } from "./act.ts";

export const created = resource({
  ...kind("Created", "created"),
  moved: () => ({ ...leftBehind, import_id: null }),
  doc: "Notes that a lead was created, and where it came from.",
  fields: {
    ...act("Created"),
    source: text({ readOnly: true, doc: "Where the lead came from." }),
    import_id: text({ readOnly: true, doc: "The import that brought the lead." }),
  },
});
