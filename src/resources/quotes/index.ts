import type { Operation } from "../../core/operation.ts";
import type { PublicRoute } from "../../records/public_route.ts";
import { crud, standard } from "../../records/standard.ts";
import { quote } from "./quote.ts";
import { quotePage, quotePdf } from "./quote_page.ts";
import { createQuote, deleteQuote } from "./quote_verbs.ts";
import { updateAndKeepPdf, withPdf } from "./sent_pdf.ts";

export const quotes: Operation[] = standard(
  quote,
  { ...crud, create: createQuote, update: updateAndKeepPdf, delete: deleteQuote },
  "member",
  { update: withPdf },
);

export const quotePages: PublicRoute[] = [quotePage, quotePdf];
