// Text that says nothing.

/** Text that shows nothing: white space, and what has no width. It counts as no text wherever a field takes text. */
export const isBlank = (text: string): boolean => /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]*$/u.test(text);
