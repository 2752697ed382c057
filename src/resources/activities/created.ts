// The activity that says when a lead was created.
import { text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { act, kind, leftBehind } from "./act.ts";

export const created = resource({
  ...kind("Created", "created"),
  moved: () => ({ ...leftBehind, import_id: null }),
  createdSilently: true,
  doc: "Notes that a lead was created, and where it came from.",
  fields: {
    ...act("Created"),
    source: text({ readOnly: true, doc: "The source of the lead." }),
    import_id: text({ readOnly: true, doc: "The import that created the lead." }),
  },
});
