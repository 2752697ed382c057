// The page of a quote as HTML. Every text goes through `escapeHtml`.

import type { Content } from "../../core/operation.ts";
import { isolated } from "../../values/bidi.ts";
import { escapeHtml } from "../../values/html.ts";
import { oneLine } from "../../values/one_line.ts";
import type { Logo } from "../organization/logo.ts";
import { htmlPage } from "../shared/html_page.ts";
import { type DocumentLine, heading, type QuoteDocument, type Shown } from "./quote_document.ts";
import { styleFor } from "./quote_style.ts";

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
  logo: Logo | null;
  form: AnswerForm | null;
  /** The URL of the PDF. */
  pdf: string | null;
}

export function showPage({ notice, document, logo, form, pdf }: QuotePage): Content {
  const title = document === null ? heading : `${isolated(oneLine(document.title))} – ${isolated(oneLine(document.seller.name))}`;
  const body = [
    notice === null ? "" : `<p class="notice" role="status" dir="auto">${escapeHtml(notice)}</p>`,
    document === null ? "" : showDocument(document, logo),
    form === null ? "" : showForm(form),
    pdf === null ? "" : `<p class="pdf"><a href="${escapeHtml(pdf)}">Download as PDF</a></p>`,
  ];
  const style = styleFor(document === null ? 0 : columnsIn(document));
  return htmlPage({ title, style, body: body.filter((part) => part !== "").join("\n"), images: logo !== null });
}

function showDocument(of: QuoteDocument, logo: Logo | null): string {
  return `<article>
${showHead(of, logo)}
${words(of.header)}
${words(of.description)}
${showTable(of)}
<table class="sums" role="table"><tbody role="rowgroup">
${of.sums.map(([label, amount]) => `<tr role="row"><th role="rowheader" scope="row">${escapeHtml(label)}</th><td role="cell" class="number">${escapeHtml(amount)}</td></tr>`).join("\n")}
</tbody></table>
${of.due === null ? "" : `<p class="due">${escapeHtml(of.due)}</p>`}
${words(of.footer)}
${of.terms === null ? "" : `<section class="terms"><h2>Terms</h2>${words(of.terms)}</section>`}
</article>`;
}

function showHead({ seller, number, subject, to, dates }: QuoteDocument, logo: Logo | null): string {
  const picture =
    logo === null ? "" : `<img class="logo" alt="" src="data:${logo.mime};base64,${logo.bytes.toString("base64")}">`;
  const address = seller.address === null ? "" : `<p class="words address" dir="auto">${escapeHtml(seller.address)}</p>`;
  const named = to.map((one) => `<span dir="auto">${escapeHtml(one)}</span>`).join(" ");
  const days = dates.map(([label, day]) => `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(day)}</dd></div>`);
  return `<header>
<div class="letterhead">
<div class="seller">${picture}<p class="${logo === null ? "name large" : "name"}" dir="auto">${escapeHtml(seller.name)}</p>${address}</div>
<div class="what"><h1>${heading}</h1><p>${escapeHtml(number)}</p></div>
</div>
<div class="facts">
${to.length === 0 ? "<p></p>" : `<p class="for"><span class="label">For</span> ${named}</p>`}
<dl>${days.join("")}</dl>
</div>
${subject === null ? "" : `<h2 class="subject" dir="auto">${escapeHtml(subject)}</h2>`}
</header>`;
}

const kindOf = ({ key }: Shown): string => (key === "name" ? "item" : `number ${key}`);

/** On a narrow screen the cells are below each other, and the columns' titles come from `data-title`. The roles keep it a table there. */
const showTable = (of: QuoteDocument): string => `<table class="lines" role="table">
<thead role="rowgroup"><tr role="row">${of.columns.map((one) => `<th role="columnheader" scope="col" class="${kindOf(one)}">${one.title}</th>`).join("")}</tr></thead>
<tbody role="rowgroup">
${of.lines.map((line) => showLine(line, of.columns)).join("\n")}
</tbody></table>`;

function showLine(line: DocumentLine, columns: readonly Shown[]): string {
  const about = line.description === null ? "" : `<small class="words" dir="auto">${escapeHtml(line.description)}</small>`;
  const cells = columns.map((column) =>
    column.key === "name"
      ? `<td role="cell" class="item"><span dir="auto">${escapeHtml(line.name)}</span>${about}</td>`
      : `<td role="cell" class="${kindOf(column)}"${line[column.key] === "" ? "" : ` data-title="${column.title}"`}>${escapeHtml(line[column.key])}</td>`,
  );
  return `<tr role="row">${cells.join("")}</tr>`;
}

/** The space before a column, in digits. */
const gap = 2;
/** The share of the table that items need beside figures. */
const itemShare = 1 / 5;

/** How wide its table is at least, in digits, where no figure is broken. */
function columnsIn({ columns, lines }: QuoteDocument): number {
  const figures = columns.filter(({ key }) => key !== "name");
  const widths = figures.map(({ key, title }) =>
    lines.reduce((most, line) => Math.max(most, ...line[key].split(" ").map((word) => word.length)), title.length),
  );
  return Math.ceil(widths.reduce((sum, width) => sum + width + gap, 0) / (1 - itemShare));
}

function showForm({ action, edition, name, email, errors }: AnswerForm): string {
  const reason = (field: string) =>
    errors[field] === undefined ? "" : `<span class="error" role="alert">${escapeHtml(errors[field])}</span>`;
  return `<form method="post" action="${escapeHtml(action)}">
<h2>Your answer</h2>
<input type="hidden" name="edition" value="${escapeHtml(edition)}">
<label>Your name <input name="name" required maxlength="200" autocomplete="name" value="${escapeHtml(name)}">${reason("name")}</label>
<label>Your e-mail address, if you like <input name="email" type="email" maxlength="255" autocomplete="email" value="${escapeHtml(email)}">${reason("email")}</label>
${reason("decision")}
<div class="buttons"><button name="decision" value="accept">Accept</button> <button name="decision" value="decline" class="second">Decline</button></div>
</form>`;
}

const words = (text: string | null): string => (text === null ? "" : `<p class="words" dir="auto">${escapeHtml(text)}</p>`);
