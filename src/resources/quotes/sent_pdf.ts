// Sending a quote keeps it as PDF. The bytes are made and kept before the transaction, which then writes the record alone.
import type { Ctx } from "../../core/context.ts";
import type { Extras, Given, Prepared } from "../../core/operation.ts";
import type { Patch, Row } from "../../core/resource.ts";
import { readPatch } from "../../records/input.ts";
import { checkOwner, getRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { fileSubtype } from "../files/file_subtype.ts";
import { insertFile, keepOwn } from "../files/store_file.ts";
import { type KeptBytes, removeBytes } from "../files/stored_bytes.ts";
import { quote, stateNow } from "./quote.ts";
import { documentOf, type QuoteDocument } from "./quote_document.ts";
import { renderQuotePdf } from "./quote_pdf.ts";
import { planned, updateQuote } from "./quote_verbs.ts";

type Quote = Row<typeof quote>;

/** A PDF that waits for its quote to say just what it says. */
interface Ready {
  kept: KeptBytes;
  words: string;
}

/** What the update makes ready: the PDF of a quote that becomes open. */
export const withPdf = { prepare: preparePdf };

/** Keeps the PDF of a quote that becomes open. One that is open and has none gets it by being set to open again. */
export async function updateAndKeepPdf(ctx: Ctx, before: Quote, patch: Patch<typeof quote>, extras?: Extras): Promise<Quote> {
  const after = await updateQuote(ctx, before, patch);
  const ready: Ready | null | undefined = extras?.ready;
  return ready ? withFile(ctx, after, ready) : after;
}

async function preparePdf(ctx: Ctx, { id, given }: { id: string; given: Given }): Promise<Prepared<Ready | null>> {
  const nothing = { ready: null, settle: async () => {} };
  if (given.body.status !== "open") return nothing;
  const found = await getRecord(ctx, quote, id);
  checkOwner(ctx, quote, found, "update");
  const before = { ...found, status: stateNow(ctx.directory, found.status, found.expires_at, ctx) };
  if (before.file_id !== null) return nothing;

  const document = await documentOf(ctx, await asSent(ctx, before, given.body));
  const kept = await keepOwn(ctx, await renderQuotePdf(document), "application/pdf");
  return { ready: { kept, words: wordsOf(document) }, settle: () => removeBytes(ctx, kept.storage_key) };
}

/** The quote as the update will make it. */
async function asSent(ctx: Ctx, before: Quote, body: Record<string, unknown>): Promise<Quote> {
  const values = await planned(ctx, before, readPatch(ctx, quote, body, before));
  return { ...before, ...values, date_sent: before.date_sent ?? ctx.now.toISOString() } as Quote;
}

/** The sent quote with its PDF, unless it differs from the PDF by now. */
async function withFile(ctx: Ctx, sent: Quote, { kept, words }: Ready): Promise<Quote> {
  if (sent.status !== "open" || sent.file_id !== null || wordsOf(await documentOf(ctx, sent)) !== words) return sent;

  const { lead_id, contact_id, opportunity_id } = sent;
  const known = ctx.directory.list(fileSubtype).some(({ key }) => key === quote.name);
  const subtype = known ? quote.name : null;
  const name = `${sent.number}.pdf`;
  const { id: file_id } = await insertFile(ctx, kept, { name, lead_id, contact_id, opportunity_id, subtype, is_system: true });
  return store.update(ctx, quote, sent, { file_id });
}

const wordsOf = (document: QuoteDocument): string => JSON.stringify(document);
