// Numbers that JSON carries exactly.

/** Whole numbers beyond this are no longer distinct: another number would be read than was written. */
export const isExact = (value: number): boolean => Math.abs(value) <= Number.MAX_SAFE_INTEGER;

export const notExact = `must be between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
