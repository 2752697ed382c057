// The sentences and list items of a text.

const textMax = 100_000;
const sentenceMax = 500;

/** Each on one line, in their order. Signs of lists are kept, ends of sentences too. */
export function sentencesOf(text: string): string[] {
  return text
    .slice(0, textMax)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .flatMap((line) => line.split(/(?<=[.!?…])\s+(?=[\p{Lu}\p{N}"'“„¿¡*-])/u))
    .map((one) => one.replace(/\s+/g, " ").trim())
    .filter((one) => /\p{L}/u.test(one))
    .map((one) => (one.length > sentenceMax ? `${one.slice(0, sentenceMax).toWellFormed()} …` : one));
}

/** Those that ask something. */
export const questionsIn = (text: string): string[] => sentencesOf(text).filter((one) => one.endsWith("?"));
