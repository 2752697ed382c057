import type { Operation } from "../../core/operation.ts";
import type { PublicRoute } from "../../core/public.ts";
import { crud, standard } from "../../records/standard.ts";
import { quote } from "./quote.ts";
import { quotePage, quotePdf } from "./quote_page.ts";
import { createQuote, deleteQuote, updateQuote } from "./quote_verbs.ts";
import { withPdf } from "./sent_pdf.ts";

const verbs = standard(quote, { ...crud, create: createQuote, update: updateQuote, delete: deleteQuote }, "member");

export const quotes: Operation[] = verbs.map((one) => (one.verb === "update" ? withPdf(one) : one));

export const quotePages: PublicRoute[] = [quotePage, quotePdf];
