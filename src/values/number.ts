// Numbers that JSON carries exactly.

/** Beyond this, whole numbers are no longer told apart: what was written is read as another number. */
export const isExact = (value: number): boolean => Math.abs(value) <= Number.MAX_SAFE_INTEGER;

export const notExact = `must be between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
