// Stores a quote as PDF when it is sent. The bytes are made and stored before the transaction, which then writes only the record.
import type { Ctx } from "../../core/context.ts";
import type { Extras, Given, Prepared } from "../../core/operation.ts";
import type { Patch, Row, Values } from "../../core/resource.ts";
import { readPatch } from "../../records/input.ts";
import { checkOwner, getRecord } from "../../records/records.ts";
import { fileSubtype } from "../files/file_subtype.ts";
import { insertFile, keepOwn } from "../files/store_file.ts";
import { type KeptBytes, removeBytes } from "../files/stored_bytes.ts";
import { fixParties } from "./fix_parties.ts";
import { quote, stateNow } from "./quote.ts";
import { documentOf, type QuoteDocument } from "./quote_document.ts";
import { pdfOf } from "./quote_pdf.ts";
import { changeQuote, settled } from "./quote_states.ts";
import { quoteTotals } from "./quote_totals.ts";
import { planned } from "./quote_verbs.ts";

type Quote = Row<typeof quote>;

/** A stored PDF, and the content that it was made from. */
interface Ready {
  kept: KeptBytes;
  words: string;
}

/** What the update prepares: the PDF of a quote that becomes open. */
export const withPdf = { prepare: preparePdf };

/** Stores the PDF of a quote that becomes open. An open quote without a PDF gets one when it is set to open again. */
export async function updateAndKeepPdf(ctx: Ctx, stored: Quote, patch: Patch<typeof quote>, extras?: Extras): Promise<Quote> {
  const before = await settled(ctx, stored);
  const values = await planned(ctx, before, patch);
  const sent = asSent(ctx, before, values);
  const parties = await fixParties(ctx, sent);
  const ready: Ready | null | undefined = extras?.ready;
  const file = ready ? await fileFor(ctx, { ...sent, ...parties } as Quote, ready) : {};
  return changeQuote(ctx, before, { ...values, ...parties, ...file });
}

async function preparePdf(ctx: Ctx, { id, given }: { id: string; given: Given }): Promise<Prepared<Ready | null>> {
  const nothing = { ready: null, settle: async () => {} };
  if (given.body.status !== "open") return nothing;
  const found = await getRecord(ctx, quote, id);
  checkOwner(ctx, quote, found, "update");
  const before = { ...found, status: stateNow(ctx.directory, found.status, found.expires_at, ctx) };
  if (before.file_id !== null) return nothing;

  const values = await planned(ctx, before, readPatch(ctx, quote, given.body, before));
  const document = await documentOf(ctx, asSent(ctx, before, values));
  const kept = await keepOwn(ctx, await pdfOf(ctx.settings.storage, document), "application/pdf");
  return { ready: { kept, words: wordsOf(document) }, settle: () => removeBytes(ctx, kept.storage_key) };
}

/** The quote as the update will make it. */
function asSent(ctx: Ctx, before: Quote, values: Values<typeof quote>): Quote {
  const totals = quoteTotals({ ...before, ...values } as Quote);
  return { ...before, ...values, ...totals, date_sent: before.date_sent ?? ctx.now.toISOString() } as Quote;
}

/**
 * Makes the PDF the quote's file, unless the quote has changed in the meantime. The file is written first, so that the quote is
 * updated once.
 */
async function fileFor(ctx: Ctx, sent: Quote, { kept, words }: Ready): Promise<Values<typeof quote>> {
  if (sent.status !== "open" || sent.file_id !== null || wordsOf(await documentOf(ctx, sent)) !== words) return {};

  const { lead_id, contact_id, opportunity_id } = sent;
  const subtype = subtypeOfQuotes(ctx);
  const name = `${sent.number}.pdf`;
  const { id: file_id } = await insertFile(ctx, kept, { name, lead_id, contact_id, opportunity_id, subtype, is_system: true });
  return { file_id };
}

/** The organization may have deleted it. */
export const subtypeOfQuotes = (ctx: Ctx): string | null =>
  ctx.directory.list(fileSubtype).some(({ key }) => key === quote.name) ? quote.name : null;

const wordsOf = (document: QuoteDocument): string => JSON.stringify(document);
