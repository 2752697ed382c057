// What several rows say about one record.

export type Body = Record<string, any>;

/** What several rows say about one record: of single values the first, of lists all. */
export function merged(bodies: readonly Body[]): Body {
  const whole: Body = {};
  for (const [key, value] of bodies.flatMap((body) => Object.entries(body))) {
    if (whole[key] === undefined) whole[key] = value;
    else if (Array.isArray(value) && key !== "addresses") whole[key] = distinct([...whole[key], ...value]);
  }
  return whole;
}

/** Each value once, ignoring case. */
export function distinct(list: readonly any[]): any[] {
  return [...Map.groupBy(list, keyOf).values()].map(([first]) => first);
}

export const keyOf = (one: any): string => String(one.email ?? one.phone ?? one.url ?? one).toLowerCase();

/** The part of an e-mail address, a phone number or a web address that says which one it is. */
export const pointOf = ({ email, phone, url }: any): object =>
  email !== undefined ? { email } : phone !== undefined ? { phone } : { url };
