// Undoes an edit or a deletion of many records.
import { text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { common, kind } from "./common.ts";

export const bulkUndo = resource({
  ...kind("undo"),
  doc: "Undoes an edit or a deletion of many records.",
  fields: {
    ...common(),
    undoes: text({ readOnly: true, max: 64, doc: "The bulk action that is undone." }),
    type: text({ readOnly: true, hidden: true }),
    object_type: text({ readOnly: true, hidden: true }),
    bulk_object_type: text({ readOnly: true, hidden: true }),
  },
});
