// Recognizes text that shows nothing.

/** True for text of only white space and characters without width. A field that takes text treats it as no text. */
export const isBlank = (text: string): boolean => /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]*$/u.test(text);
