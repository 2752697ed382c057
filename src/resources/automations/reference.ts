// A record as lists name it. Whoever goes through the list reads each record when its turn comes.
import { z } from "zod";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";

export const reference = z.object({ id: z.string(), object_type: z.string(), name: z.string().nullable() });

/** What people call it. */
const titles = ["display_name", "name", "title", "subject", "text"];

export function referenceTo(of: Resource, row: Row<Resource>): z.output<typeof reference> {
  const title = titles.map((key) => (row as Record<string, unknown>)[key]).find((one) => typeof one === "string" && one !== "");
  return { id: row.id, object_type: kindOf(of, row).name, name: title === undefined ? null : String(title).slice(0, 255) };
}
