// The header `Accept-Encoding`, by RFC 9110.

export interface Codings {
  /** From 0, which refuses it, to 1. */
  weightOf(coding: string): number;
  /** That of bytes as they are, where the header says one. */
  identity: number;
}

export function codingsIn(header: string): Codings {
  const weights = new Map(header.toLowerCase().split(",").map(weighed));
  return { weightOf: (coding) => weights.get(coding) ?? weights.get("*") ?? 0, identity: weights.get("identity") ?? 0 };
}

function weighed(part: string): [string, number] {
  const [coding = "", ...parameters] = part.split(";").map((one) => one.trim());
  const q = parameters.find((one) => one.startsWith("q="));
  return [coding, q === undefined ? 1 : Number(q.slice(2)) || 0];
}
