// Applies `_fields` to responses that the record writer does not make.

/** The named members of an object, or of each object in a list. */
export function trimmed(output: unknown, fields: string | undefined): unknown {
  if (!fields || typeof output !== "object" || output === null) return output;
  const names = new Set(fields.split(","));
  const trim = (value: unknown) =>
    typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).filter(([key]) => names.has(key)))
      : value;
  return "data" in output && Array.isArray(output.data) ? { ...output, data: output.data.map(trim) } : trim(output);
}
