// The mapping of an import: which field each column is written to, and how.
import { z } from "zod";
import { columnsMax } from "./table.ts";
import { transformSchema } from "./transforms.ts";

export const conflicts = ["overwrite", "if_empty", "append", "never"] as const;
export type Conflict = (typeof conflicts)[number];

const target = z.string().max(255).nullable();

const entry = z.strictObject({
  column: z.string().max(255),
  target: target.describe("Null or `ignore` skips the column. An address or a number may say its type: `contact.phone:mobile`."),
  transform: transformSchema
    .optional()
    .describe("What is done to a cell first: a step, or a list of them. `GET /import/presets/` has all."),
  on_conflict: z
    .enum(conflicts)
    .optional()
    .describe("What happens where the record that exists has a value. Lists are appended to by default, and others overwritten."),
  default: z.string().max(10_000).nullish().describe("The text for empty cells."),
  join: z
    .string()
    .max(20)
    .optional()
    .describe("Puts between columns that together are one value, such as a first and a last name."),
});

/** What a column is written to. */
export type Entry = z.output<typeof entry> & {
  target: string;
  /** Of an address or a number: `contact.phone:mobile`. */
  type?: string;
};

export const mappingSchema = z.union([z.record(z.string(), target), z.array(entry).max(2 * columnsMax)]);
export type Mapping = z.output<typeof mappingSchema>;

/** The targets whose values have a type. */
export const typedTargets: ReadonlySet<string> = new Set(["email", "phone", "contact.email", "contact.phone"]);

/** The columns that are written, with the plain names of their targets: `lead.name` means `name`, and `ignore` means none. */
export function entriesOf(mapping: Mapping | null): Entry[] {
  const given = Array.isArray(mapping)
    ? mapping
    : Object.entries(mapping ?? {}).map(([column, of]): z.output<typeof entry> => ({ column, target: of }));
  return given.flatMap((one) => {
    if (one.target === null || one.target === "ignore") return [];
    const whole = one.target.replace(/^lead\./, "");
    const [, target = whole, type] = /^([^:]*):(.*)$/.exec(whole) ?? [];
    return [type !== undefined && typedTargets.has(target) ? { ...one, target, type } : { ...one, target: whole }];
  });
}

/** A list that says nothing but targets means the same as an object, and is shown as one. */
export function mappingOf(given: Mapping): Mapping {
  if (!Array.isArray(given)) return given;
  const columns = given.map(({ column }) => column);
  const isPlain = given.every((one) => Object.keys(one).every((key) => key === "column" || key === "target"));
  if (!isPlain || new Set(columns).size < columns.length) return given;
  return Object.fromEntries(given.map((one) => [one.column, one.target]));
}
