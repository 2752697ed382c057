// Tables that are looked into by a name which a caller wrote.

/** The same entries in an object that inherits nothing: `constructor` is in it only where somebody put it. */
export const byName = <T extends object>(entries: T): Readonly<T> => Object.freeze(Object.assign(Object.create(null), entries));
