/** A text as part of a regular expression with the flag `u`, where it stands for itself. */
export const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
