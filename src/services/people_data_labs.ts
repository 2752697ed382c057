// The API of People Data Labs: one person or one company by what is known of them. A match costs a credit, everything else nothing.
import { type Answer, askPublic, jsonOf } from "./ask_public.ts";
import { NotPosted } from "./post_public.ts";
import type { PublicAddresses } from "./public_address.ts";

export interface PeopleDataLabsAccount {
  api_key: string;
  base_url: string | null;
}

/** Names of the API's parameters. Several values are alternatives. */
export type Query = Record<string, string | readonly string[]>;

export type Looked =
  /** `likelihood` is from 1 to 10. */
  | { is: "match"; data: Record<string, unknown>; likelihood: number }
  | { is: "none" }
  /** It is to be asked again, not before so many seconds. */
  | { is: "later"; reason: string; seconds: number }
  /** Asking again would be answered alike, until somebody does something about it. */
  | { is: "refused"; reason: string };

const usualPlace = "https://api.peopledatalabs.com";
const limits = { wholeMs: 15_000, bytes: 4 * 1024 * 1024 };
/** The provider counts requests by the minute. */
const windowSeconds = 60;

/** `kind` is the endpoint: who is looked up. */
export async function lookUp(
  addresses: PublicAddresses,
  { api_key, base_url }: PeopleDataLabsAccount,
  kind: "person" | "company",
  query: Query,
): Promise<Looked> {
  const url = `${(base_url ?? usualPlace).replace(/\/+$/, "")}/v5/${kind}/enrich?${parametersOf(query)}`;
  try {
    const headers = { "x-api-key": api_key, accept: "application/json", "user-agent": "Headwater" };
    return lookedUp(kind, await askPublic(addresses, { method: "GET", url, headers }, limits));
  } catch (error) {
    if (!(error instanceof NotPosted)) throw error;
    return { is: "later", reason: `People Data Labs ${error.message}`, seconds: 0 };
  }
}

/** A match that is less likely, from 1 to 10, is answered as none and costs nothing. */
const leastLikelihood = "5";

/** With `titlecase`, names come as they are written. */
function parametersOf(query: Query): URLSearchParams {
  const pairs = Object.entries(query).flatMap(([key, value]) => [value].flat().map((one): [string, string] => [key, one]));
  return new URLSearchParams([...pairs, ["min_likelihood", leastLikelihood], ["titlecase", "true"]]);
}

function lookedUp(kind: "person" | "company", answer: Answer): Looked {
  const { status } = answer;
  if (status === 200) return matchOf(kind, answer);
  if (status === 404) return { is: "none" };
  if (status === 402) return { is: "refused", reason: "People Data Labs has no credits left for this account" };
  if (status === 401 || status === 403) return { is: "refused", reason: "People Data Labs does not accept the API key" };
  if (status === 429) return { is: "later", reason: "People Data Labs is asked too often", seconds: secondsOf(answer) };
  const reason = `People Data Labs answered ${status}`;
  return status >= 500 || status === 408 ? { is: "later", reason, seconds: secondsOf(answer, 0) } : { is: "refused", reason };
}

/** A person is in `data`; a company is the answer itself. */
function matchOf(kind: "person" | "company", answer: Answer): Looked {
  const body = jsonOf(answer);
  const data = kind === "person" ? body?.data : body;
  if (typeof data !== "object" || data === null || Array.isArray(data))
    return { is: "later", reason: "People Data Labs answered something that is not a record", seconds: 0 };
  return { is: "match", data, likelihood: typeof body.likelihood === "number" ? body.likelihood : 0 };
}

const secondsOf = ({ retryAfter }: Answer, usual = windowSeconds): number =>
  retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : usual;
