// What commands tell people: results on one stream, everything else on the other.

/** A result, or what the operator waits for. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** What went on or went wrong beside the result. */
export const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** Rows of texts, each column as wide as its widest text; the last one runs free. */
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

/** Something the operator can put right: it is told without a stack. */
export class Mistake extends Error {}
