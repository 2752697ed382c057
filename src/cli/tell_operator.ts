// Mail to whoever runs the service. The log, `doctor` and the metrics say the same to those who look.
import type { Config } from "../config.ts";
import { openMailer } from "../services/mail.ts";
import { escapeHtml } from "../values/html.ts";
import { newId } from "../values/id.ts";
import { complain } from "./say.ts";

/** Says in the log, and throws nothing, when the mail cannot be sent. */
export async function tellOperator({ smtp_url, base_url, operator_email }: Config, subject: string, text: string): Promise<void> {
  if (smtp_url === null || operator_email === null) return;
  const mailer = openMailer(smtp_url, base_url);
  const html = `<p>${escapeHtml(text).replaceAll("\n", "<br>")}</p>`;
  const mail = { id: newId("mail"), to: operator_email, date: new Date(), subject: `${subject} (${base_url})`, text, html };
  await mailer.send(mail).catch((error) => complain(`The operator could not be told: ${error.message}`));
  mailer.close();
}
