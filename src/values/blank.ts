// Recognizes text that shows or says nothing.

/** True for text of only white space, characters without width, and Braille without a dot. A field that takes text treats it as no text. */
export const isBlank = (text: string): boolean => /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text);

/** Whether a text names somebody: it has a letter or a digit that shows, of any script. */
export const isName = (text: string): boolean => /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/u.test(text);
