// Lookup tables for names that a caller wrote.

/** The same entries in an object without a prototype, so that `constructor` is found only if it was put in. */
export const byName = <T extends object>(entries: T): Readonly<T> => Object.freeze(Object.assign(Object.create(null), entries));
