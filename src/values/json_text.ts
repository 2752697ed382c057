// Writes the JSON of values that are written very often.

// Text without a quote, a backslash, a control character or a lone surrogate is valid JSON as it stands.
const plain = /^[^"\\\u0000-\u001f\ud800-\udfff]*$/;
export const quote = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text));
export const quoteOrNull = (text: unknown): string => (typeof text === "string" ? quote(text) : "null");

export const jsonOf = (value: unknown): string =>
  value === null ? "null" : typeof value === "string" ? quote(value) : JSON.stringify(value);
