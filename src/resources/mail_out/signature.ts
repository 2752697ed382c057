// The signature of a mailbox stands below what is sent by it, unless the author has put it there.
import { isMarkup, mailHtml } from "../../values/mail_html.ts";
import { fromHtml, fromText, textWithAddresses } from "../../values/rich_text.ts";
import type { Account, Email } from "./sending.ts";

/** The mail as it leaves by this mailbox. What is stored stays as its author wrote it. */
export function signed(mail: Email, { signature }: Pick<Account, "signature">): Email {
  const { text, html } = signature === null ? { text: "", html: "" } : formsOf(signature);
  const body_text = mail.body_text ?? "";
  if (text.trim() === "" || body_text.includes(text.trim())) return mail;
  return {
    ...mail,
    // The line by which mail programs know where a signature begins (RFC 3676).
    body_text: `${body_text}\n\n-- \n${text}`,
    body_html: mail.body_html === null ? null : withBelow(mail.body_html, html),
  };
}

const formsOf = (signature: string): { text: string; html: string } =>
  isMarkup(signature) ? fromMarkup(signature) : { ...fromText(signature), text: signature };

function fromMarkup(signature: string): { text: string; html: string } {
  return { html: mailHtml(signature), text: textWithAddresses(fromHtml(signature).html) };
}

const inner = (html: string): string => html.replace(/^<body>|<\/body>$/g, "");

const withBelow = (html: string, more: string): string =>
  html.endsWith("</body>")
    ? `${html.slice(0, -"</body>".length)}<br /><br />${inner(more)}</body>`
    : `${html}<br /><br />${inner(more)}`;
