// Makes text that people wrote safe as a part of one line of a mail.

/** Without line ends and other control characters, which could break a header or hide a part of a name. */
export const isOneLine = (text: string): boolean => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

/**
 * One line without control characters: it cannot break a header, start a paragraph, or change the direction of the text around
 * it.
 */
export function oneLine(text: string, max = 255): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
  const letters = [...line.trim()];
  return letters.length <= max ? letters.join("") : `${letters.slice(0, max - 1).join("")}…`;
}
