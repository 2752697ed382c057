/** The beginning of a text on one line, as lists and notifications show it. */
export const beginningOf = (text: string): string => text.slice(0, 2000).replace(/\s+/g, " ").trim().slice(0, 255).toWellFormed();
