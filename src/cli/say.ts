// Prints what commands tell people: results to one stream, everything else to the other.

/** A result, or what the operator waits for. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Progress and errors beside the result. */
export const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** Rows of text, with each column as wide as its widest text. The last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows
    .map((row) =>
      row
        .map((text, i) => (i === row.length - 1 ? text : text.padEnd(widths[i]!)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** An error that the operator can correct. It is printed without a stack. */
export class Mistake extends Error {}
