// How an export as CSV is written.
import { z } from "zod";

export const exportDialect = z.strictObject({
  delimiter: z
    .enum([",", ";", "\t", "|"])
    .optional()
    .describe("What stands between cells. Excel expects `;` where decimals have commas."),
  decimal: z.enum([".", ","]).optional().describe("The decimal mark of numbers."),
  bom: z.boolean().optional().describe("Begins with a byte order mark, by which Excel knows UTF-8."),
  guard: z
    .boolean()
    .optional()
    .describe(
      "False leaves out the mark before text that a spreadsheet would run as a formula: only for programs that run nothing.",
    ),
});

export type ExportDialect = z.output<typeof exportDialect>;
