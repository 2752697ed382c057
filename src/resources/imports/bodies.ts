// What several rows say about one record.

export type Body = Record<string, any>;

/** Each value once, ignoring case. */
export function distinct(list: readonly any[]): any[] {
  return [...Map.groupBy(list, keyOf).values()].map(([first]) => first);
}

export const keyOf = (one: any): string => String(one.email ?? one.phone ?? one.url ?? one).toLowerCase();

/** The part of an e-mail address, a phone number or a web address that says which one it is. */
export const pointOf = ({ email, phone, url }: any): object =>
  email !== undefined ? { email } : phone !== undefined ? { phone } : { url };
