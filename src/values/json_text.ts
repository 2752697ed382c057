// The JSON of a value, where it is written again and again.

// Text without a quote, a backslash, a control character or half of a pair is JSON as it stands.
const plain = /^[^"\\\u0000-\u001f\ud800-\udfff]*$/;
export const quote = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text));
export const quoteOrNull = (text: unknown): string => (typeof text === "string" ? quote(text) : "null");

export const jsonOf = (value: unknown): string =>
  value === null ? "null" : typeof value === "string" ? quote(value) : JSON.stringify(value);
