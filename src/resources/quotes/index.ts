import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { quote } from "./quote.ts";
import { createQuote, deleteQuote, updateQuote } from "./quote_verbs.ts";

export const quotes: Operation[] = standard(quote, { ...crud, create: createQuote, update: updateQuote, delete: deleteQuote });
