// A refusal in words, for whoever did not ask by a request: the reasons with their places, or else the sentence.
import { collect, type FieldErrors } from "../../core/errors.ts";

export interface Refusal {
  status: number;
  words: string;
}

/** Null for what is no refusal: the service's own defect, or a database that is away. */
export function refusalOf(error: unknown): Refusal | null {
  const { status = 500 } = error as { status?: number };
  return status < 500 ? { status, words: wordsOf(error as Error) } : null;
}

function wordsOf(refusal: Error): string {
  const reasons: FieldErrors = {};
  try {
    collect(reasons, () => {
      throw refusal;
    });
  } catch {
    return refusal.message;
  }
  const words = Object.entries(reasons).map(([place, reason]) => (place === "" ? reason : `${place} ${reason}`));
  return words.join("; ") || refusal.message;
}
