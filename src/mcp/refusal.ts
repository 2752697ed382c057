// A refusal that an agent can act on, in the words of REST.
import { Problem } from "../core/errors.ts";

export interface Refusal {
  status: number;
  body: { error: string; "field-errors": Problem["fields"] };
  /** The same for those who read only text. */
  text: string;
}

/** What is our own failure, or a matter of the whole request, is thrown again: it is answered by its HTTP status. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Problem) || error.status >= 500 || error.status === 401) throw error;
  const { status, message, fields } = error;
  const reasons = Object.entries(fields).map(([place, reason]) => `${place} ${reason}`);
  return { status, body: { error: message, "field-errors": fields }, text: [message, ...reasons].join("\n") };
}

export const notAllowedHere = (message: string): Problem => new Problem(403, message);
