// The plain text of a mail whose author wrote only its HTML: it says where the links lead. What is stored stays as it is shown.
import { fromHtml, textWithAddresses } from "../../values/rich_text.ts";
import type { Email } from "./sending.ts";

export function withTextForm(mail: Email): Email {
  if (mail.body_html === null) return mail;
  const { html, text } = fromHtml(mail.body_html);
  return mail.body_text === text ? { ...mail, body_text: textWithAddresses(html) } : mail;
}
