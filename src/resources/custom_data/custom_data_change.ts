// A change of a custom field or type that affects more records than one transaction should. It runs in the background. Until it
// is done, every process has it in its directory, to know what readers no longer see.
import { z } from "zod";
import { boolean, json, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import type { Association, CustomField } from "./custom_field.ts";

export const customDataChange = resource({
  name: "custom_data_change",
  prefix: "cdchange",
  doc: "A change of a custom field or type that is still running.",
  event: null,
  cached: true,
  fields: {
    field_id: text({ doc: "The field whose values are removed or converted." }),
    type_id: text({ doc: "The type whose records are deleted." }),
    places: json(z.array(z.custom<Association>()), { default: [] as Association[], doc: "Where the values are." }),
    staying: json(z.array(z.custom<Association>()), { default: [] as Association[], doc: "Where they stay." }),
    becomes: json(z.custom<Pick<CustomField, "type" | "choices" | "accepts_multiple_values">>(), {
      doc: "What the field becomes when its values are converted.",
    }),
    drops: boolean({ default: false, doc: "Drops values that cannot be converted." }),
    removed: boolean({
      default: false,
      doc: "All values were removed once. Those that were being written at that time are removed later.",
    }),
    reached_table: text({ default: "", doc: "The table that the job works on." }),
    reached_id: text({ default: "", doc: "The last record that it has processed there." }),
  },
});
