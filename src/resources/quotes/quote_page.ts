// /q/{token}/: the page of a quote, for anybody with its link. They read it there, and accept or decline it once.
import { findPublicQuote, hashOf, type PublicQuote } from "../../auth/unscoped.ts";
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { Content } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { asSystem } from "../../records/acting.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../records/public_route.ts";
import { findRecord, lockRecord } from "../../records/records.ts";
import { Missing } from "../../services/storage.ts";
import { isName } from "../../values/blank.ts";
import { parseEmail } from "../../values/email.ts";
import { oneLine } from "../../values/one_line.ts";
import { file } from "../files/file.ts";
import { logoIfGood } from "../organization/logo.ts";
import { pdfForLink } from "./pdf_for_link.ts";
import { quote } from "./quote.ts";
import { documentOf, type QuoteDocument } from "./quote_document.ts";
import { type AnswerForm, type QuotePage, showPage } from "./quote_html.ts";
import { changeQuote, settled } from "./quote_states.ts";

type Quote = Row<typeof quote>;

const nameMax = 200;
const decisions = { accept: "accepted", decline: "declined" } as const;

export const quotePage: PublicRoute = {
  name: "quote.page",
  path: "/q/{token}",
  doc: "A quote, for anyone with its address: to read, and to accept or decline.",
  methods: ["GET", "POST"],
  group: "link",
  async run(core, request) {
    const answer = await withQuote(core, request, (ctx, found) =>
      request.method === "POST" ? decide(ctx, found, request) : show(ctx, found, request),
    );
    return finish(core, answer);
  },
};

export const quotePdf: PublicRoute = {
  name: "quote.pdf",
  path: "/q/{token}/pdf",
  doc: "The same quote as PDF.",
  methods: ["GET"],
  group: "link",
  async run(core, request) {
    const answer = await withQuote(core, request, async (ctx, found) => {
      if (!isReadable(found)) return show(ctx, found, request);
      const file_id = found.status === "accepted" ? found.signed_file_id : found.file_id;
      const kept = file_id === null ? null : await findRecord(ctx, file, file_id);
      return { document: await documentOf(ctx, found), kept };
    });
    return "kept" in answer ? showPdf(core, answer) : finish(core, answer);
  },
};

/**
 * Runs `work` with the quote whose secret is in the path, locked. Its organization's time zone decides whether it has expired.
 */
async function withQuote<T>(
  core: Core,
  { params, method, requestId }: PublicRequest,
  work: (ctx: Ctx, found: Quote) => Promise<T>,
): Promise<T | PublicAnswer> {
  const found = await quoteBehind(core, params.token!);
  if (found === null) return unknown;
  // The secret does not appear in events, because their readers may not all see the quote.
  const request = { id: requestId, method, path: "/q/" };
  return asSystem(core, found.organization_id, request, async (ctx) =>
    work(ctx, await settled(ctx, await lockRecord(ctx, quote, found.id))),
  );
}

const quoteBehind = async (core: Core, token: string): Promise<PublicQuote | null> =>
  /^[\w-]{43}$/.test(token) ? findPublicQuote(core.db, hashOf(token)) : null;

const unknown: PublicAnswer = {
  status: 404,
  content: showPage({
    notice: "There is no quote at this address. Please check that the link is complete.",
    document: null,
    logo: null,
    form: null,
    pdf: null,
  }),
};

// --- the page ---

/** What is shown, without the logo. */
interface View {
  status: number;
  page: Omit<QuotePage, "logo">;
}

/** After the transaction, as the storage may be slow. A page without a logo is better than none. */
async function finish({ settings }: Core, answer: PublicAnswer | View): Promise<PublicAnswer> {
  if (!("page" in answer)) return answer;
  const logo = await logoIfGood(settings.storage, answer.page.document?.seller.logo ?? null).catch(() => null);
  return { status: answer.status, content: showPage({ ...answer.page, logo }) };
}

/** A quote that was taken back is no longer shown. */
const isReadable = ({ status }: Quote): boolean => status !== "draft" && status !== "canceled";

async function show(
  ctx: Ctx,
  found: Quote,
  { params }: PublicRequest,
  { status, notice, form, read }: { status?: number; notice?: string; form?: Partial<AnswerForm>; read?: QuoteDocument } = {},
): Promise<View> {
  if (!isReadable(found)) return withdrawn(found);
  const document = read ?? (await documentOf(ctx, found));
  const path = pathOf(ctx, params.token!);
  const open = found.status === "open";
  const empty = { action: path, edition: editionOf(found, document), name: "", email: "", errors: {} };
  const page = {
    notice: notice ?? noticeOf(found, document),
    document,
    form: open ? { ...empty, ...form } : null,
    pdf: `${path}pdf/`,
  };
  return { status: status ?? 200, page };
}

/** What the answer is for: everything that is read. */
const editionOf = ({ date_sent }: Quote, document: QuoteDocument): string => hashOf(JSON.stringify([date_sent, document]));

function withdrawn({ status }: Quote): View {
  const notice =
    status === "draft"
      ? "This quote is being revised. Once it is sent again, you will find it at this address."
      : "This quote was withdrawn.";
  return { status: 410, page: { notice, document: null, form: null, pdf: null } };
}

function noticeOf({ status }: Quote, { answer }: QuoteDocument): string | null {
  if (status === "expired") return "This quote has expired. Please ask for a new one.";
  return answer === null ? null : `${answer}.`;
}

/** The path of the service below its host, so that links work under any host name. */
const pathOf = ({ settings }: Ctx, token: string): string =>
  `${new URL(settings.base_url).pathname.replace(/\/$/, "")}/q/${token}/`;

interface PdfSource {
  document: QuoteDocument;
  kept: Row<typeof file> | null;
}

/** The PDF stored when the quote was sent or accepted. It is made again when that is gone, or not there yet. */
async function showPdf({ settings }: Core, { document, kept }: PdfSource): Promise<PublicAnswer> {
  const bytes = kept === null ? null : await settings.storage.read(kept.storage_key).catch(goneIsNull);
  const content = new Content("application/pdf", bytes ?? (await pdfForLink(settings.storage, document)), {
    ...(bytes === null ? {} : { "content-length": String(kept!.size) }),
    "content-disposition": `inline; filename="${document.number}.pdf"`,
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow",
    "cache-control": "private, no-store",
  });
  return { status: 200, content };
}

function goneIsNull(error: unknown): null {
  if (error instanceof Missing) return null;
  throw error;
}

// --- the answer ---

async function decide(ctx: Ctx, found: Quote, request: PublicRequest): Promise<PublicAnswer | View> {
  const { decision = "", name = "", email = "", edition = "" } = request.form;
  const to = Object.hasOwn(decisions, decision) ? decisions[decision as keyof typeof decisions] : null;
  // A second submission of the form finds the quote answered.
  if (found.status === to) return seeOther(ctx, request);
  if (found.status !== "open") return show(ctx, found, request, { status: 409 });
  const read = await documentOf(ctx, found);
  if (edition !== editionOf(found, read))
    return show(ctx, found, request, {
      read,
      status: 409,
      notice: "This quote was changed after you opened it. Please read it again before you answer.",
      form: { name, email },
    });

  // It is printed on the signed PDF, in the seller's name, so it must be a name and no lines of its own.
  const signer = { name: oneLine(name, Number.POSITIVE_INFINITY), email: email.trim() === "" ? null : parseEmail(email) };
  const errors = {
    ...(to === null ? { decision: "Please accept or decline." } : {}),
    ...(!isName(signer.name) ? { name: "Please write your name." } : {}),
    ...(signer.name.length > nameMax ? { name: `Please use ${nameMax} characters or fewer.` } : {}),
    ...(email.trim() !== "" && signer.email === null ? { email: "This is not an e-mail address." } : {}),
  };
  if (to === null || Object.keys(errors).length > 0)
    return show(ctx, found, request, { read, status: 400, form: { name, email, errors } });

  // Events name no member as who did it, but the customer.
  const own: Ctx = { ...ctx, meta: { ...ctx.meta, customer: signer } };
  await changeQuote(own, found, { status: to }, signer);
  return seeOther(ctx, request);
}

/** Redirects to the page, so that reloading it does not submit again. */
const seeOther = (ctx: Ctx, { params }: PublicRequest): PublicAnswer => ({
  status: 303,
  content: new Content("text/plain; charset=utf-8", "", {
    location: pathOf(ctx, params.token!),
    "referrer-policy": "no-referrer",
    "cache-control": "private, no-store",
  }),
});
