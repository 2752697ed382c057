// Web addresses in names that people write.

/**
 * Whether mail programs, or people who read it, may take a part of the text for an address: it has a scheme, begins with `www.`, or looks
 * like a domain.
 */
export const hasWebAddress = (text: string): boolean => address.test(plain(text));

/** `A.B. Müller` and `ए.पी.जे. कलाम` are names: no domain ends in one letter, with or without marks. */
const address = /:\/\/|\bwww\.|\blocalhost[:/]|[\p{L}\p{M}\p{N}]\.\p{L}\p{M}*\p{L}/iu;

/** `evil․test`, `evil。test` and `evil[.]test` → `evil.test`. A Japanese sentence ends in such a stop, too, but no Latin word follows it. */
const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/。(?=\p{Script=Latin}{2})|\s*[[({]\s*\.\s*[\])}]\s*/gu, ".");
