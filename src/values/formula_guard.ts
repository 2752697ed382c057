// The mark before text that a spreadsheet would run as a formula: exports as CSV put it there, and imports take it away.

/** What a formula begins with, in its full width too. Spreadsheets skip tabs and line breaks before it. */
const begin = "[=+\\-@\\t\\r\\n＝＋－＠]";
const isFormula = new RegExp(`^'*${begin}`);
const mark = new RegExp(`^'(?='*${begin})`);
/** A number, or a phone number with its country: harmless, and other systems read it. */
const isNumber = /^[+-]?\d+(?:\.\d+)?$/;

/** Text that begins with marks of its own gets one more, so that taking one away gives back the text. */
export const withGuard = (text: string): string => (isFormula.test(text) && !isNumber.test(text) ? `'${text}` : text);

export const withoutGuard = (text: string): string => text.replace(mark, "");
