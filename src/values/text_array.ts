// Arrays of text in PostgreSQL's notation.

/** PostgreSQL's `{a,"b c",NULL}`. Only arrays of text without nulls are stored. */
export function parseTextArray(text: string): string[] {
  const values: string[] = [];
  for (const match of text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/gs)) {
    values.push(match[1] === undefined ? match[2]! : match[1].replace(/\\(.)/gs, "$1"));
  }
  return values;
}
