// The PDF of a quote that has none stored, for whoever has its link and no key. A large one takes seconds of everybody's time, so they are
// made one after the other, each once.
import { LRUCache } from "lru-cache";
import { hashOf } from "../../auth/unscoped.ts";
import { unavailable } from "../../core/errors.ts";
import type { Storage } from "../../services/storage.ts";
import type { QuoteDocument } from "./quote_document.ts";
import { pdfOf } from "./quote_pdf.ts";

const made = new LRUCache<string, Promise<Buffer>>({ max: 20 });
const waitingMost = 5;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

export async function pdfForLink(storage: Storage, of: QuoteDocument): Promise<Buffer> {
  const key = hashOf(JSON.stringify(of));
  const known = made.get(key);
  if (known !== undefined) return known;
  if (waiting >= waitingMost) throw unavailable(10);
  waiting++;
  const pdf = last
    .then(() => pdfOf(storage, of))
    .catch((error) => {
      made.delete(key);
      throw error;
    })
    .finally(() => waiting--);
  last = pdf.catch(() => {});
  made.set(key, pdf);
  return pdf;
}
