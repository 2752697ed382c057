// A refusal in words, for whoever did not ask by a request: the reasons with their places, or else the sentence.
import type { FieldErrors } from "../../core/errors.ts";
import { asRefusal } from "../../db/refusals.ts";

export interface Refusal {
  status: number;
  words: string;
  /** The reasons by place; none where a sentence says it all. */
  reasons: FieldErrors;
}

/** Null for what is no refusal: the service's own defect, or a database that is away. */
export function refusalOf(error: unknown): Refusal | null {
  const { status = 500, message, fields: reasons = {} } = asRefusal(error) as Error & { status?: number; fields?: FieldErrors };
  if (status >= 500) return null;
  const words = Object.entries(reasons).map(([place, reason]) => (place === "" ? reason : `${place} ${reason}`));
  return { status, words: words.join("; ") || message, reasons };
}
