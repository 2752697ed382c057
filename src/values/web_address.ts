// Web addresses in names that people write.

/** Whether mail programs may make a link of a part of the text: it has a scheme, begins with `www.`, or looks like a domain. */
export const hasWebAddress = (text: string): boolean => /:\/\/|\bwww\.|[\p{L}\p{N}]\.\p{L}{2,}/iu.test(text);
