// The page of a quote as HTML. Every text goes through `escapeHtml`.

import type { Content } from "../../core/operation.ts";
import { escapeHtml } from "../../values/html.ts";
import { htmlPage } from "../shared/html_page.ts";
import type { DocumentLine, QuoteDocument } from "./quote_document.ts";

/** The values of the form on an open quote. */
export interface AnswerForm {
  /** The URL to submit it to. */
  action: string;
  /** The revision of the quote that the answer is for. A later change of the quote gives it another. */
  edition: string;
  name: string;
  email: string;
  /** Errors by field. */
  errors: Readonly<Record<string, string>>;
}

export interface QuotePage {
  /** The message at the top: that it was accepted, has expired, or was withdrawn. */
  notice: string | null;
  document: QuoteDocument | null;
  form: AnswerForm | null;
  /** The URL of the PDF. */
  pdf: string | null;
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { line-height: 1.2; margin: .25rem 0 1rem; }
.words { white-space: pre-line; }
.notice { border: 1px solid; border-radius: .5rem; padding: .75rem 1rem; font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 1.5rem 0; }
th, td { text-align: start; vertical-align: top; padding: .5rem; border-bottom: 1px solid #8886; }
.number { text-align: end; white-space: nowrap; }
td small { display: block; opacity: .75; }
.sums { width: auto; margin-inline-start: auto; }
.sums tr:last-child { font-weight: 700; font-size: 1.15em; }
form { border-top: 2px solid; margin: 2rem 0; padding-top: 1rem; display: grid; gap: 1rem; max-width: 28rem; }
label { display: grid; gap: .25rem; }
input, button { font: inherit; padding: .5rem .75rem; }
.error { color: #c22; }
.buttons { display: flex; gap: 1rem; flex-wrap: wrap; }
@media print { form, .pdf { display: none; } }
`;

export function showPage({ notice, document, form, pdf }: QuotePage): Content {
  const title = document === null ? "Quote" : `${document.title} – ${document.from}`;
  const body = [
    notice === null ? "" : `<p class="notice" role="status">${escapeHtml(notice)}</p>`,
    document === null ? "" : showDocument(document),
    pdf === null ? "" : `<p class="pdf"><a href="${escapeHtml(pdf)}">Download as PDF</a></p>`,
    form === null ? "" : showForm(form),
  ];
  return htmlPage({ title, style, body: body.filter((part) => part !== "").join("\n") });
}

function showDocument(of: QuoteDocument): string {
  return `<header>
<div dir="auto">${escapeHtml(of.from)}</div>
<h1 dir="auto">${escapeHtml(of.title)}</h1>
<p>${escapeHtml(of.number)}${of.dates.map(([label, day]) => `<br>${escapeHtml(label)}: ${escapeHtml(day)}`).join("")}</p>
${of.to.length === 0 ? "" : `<p>For ${of.to.map((one) => `<span dir="auto">${escapeHtml(one)}</span>`).join(", ")}</p>`}
</header>
${words(of.header)}
${words(of.description)}
<div class="wide"><table>
<thead><tr><th scope="col">Item</th><th scope="col" class="number">Quantity</th><th scope="col" class="number">Price</th><th scope="col" class="number">Discount</th><th scope="col" class="number">Tax</th><th scope="col" class="number">Amount</th></tr></thead>
<tbody>
${of.lines.map(showLine).join("\n")}
</tbody>
</table></div>
<table class="sums"><tbody>
${of.sums.map(([label, amount]) => `<tr><th scope="row">${escapeHtml(label)}</th><td class="number">${escapeHtml(amount)}</td></tr>`).join("\n")}
</tbody></table>
${words(of.due)}
${words(of.footer)}
${of.terms === null ? "" : `<h2>Terms</h2>${words(of.terms)}`}`;
}

function showLine(line: DocumentLine): string {
  const about = line.description === null ? "" : `<small class="words" dir="auto">${escapeHtml(line.description)}</small>`;
  const numbers = [line.quantity, line.price, line.discount, line.tax, line.amount];
  return `<tr><td><span dir="auto">${escapeHtml(line.name)}</span>${about}</td>${numbers.map((one) => `<td class="number">${escapeHtml(one)}</td>`).join("")}</tr>`;
}

function showForm({ action, edition, name, email, errors }: AnswerForm): string {
  const reason = (field: string) =>
    errors[field] === undefined ? "" : `<span class="error" role="alert">${escapeHtml(errors[field])}</span>`;
  return `<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="edition" value="${escapeHtml(edition)}">
<label>Your name <input name="name" required maxlength="200" autocomplete="name" value="${escapeHtml(name)}">${reason("name")}</label>
<label>Your e-mail address, if you like <input name="email" type="email" maxlength="255" autocomplete="email" value="${escapeHtml(email)}">${reason("email")}</label>
${reason("decision")}
<div class="buttons"><button name="decision" value="accept">Accept</button> <button name="decision" value="decline">Decline</button></div>
</form>`;
}

const words = (text: string | null): string => (text === null ? "" : `<p class="words" dir="auto">${escapeHtml(text)}</p>`);
