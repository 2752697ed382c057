// Sends system mail by the operator's SMTP server, over a few connections that a process keeps open.
import type { SMTPPoolOptions } from "nodemailer/lib/smtp-pool";
import { parseEmail } from "../values/email.ts";
import { oneLine } from "../values/one_line.ts";

export interface Mail {
  /** The same at every attempt: a mail program shows two mails with one id as one. */
  id: string;
  to: string;
  date: Date;
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string>;
  /** In whose name it is sent; by default the product's. */
  sender?: string;
  replyTo?: string;
  attachments?: readonly { filename: string; contentType: string; content: Buffer }[];
}

export interface Mailer {
  /** Resolves when the server has accepted the mail. Throws `MailRefused`, or any other error when a retry may help. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** The server refused the mail for good, in its own words. */
export class MailRefused extends Error {}

/** The time limit of one mail. It is shorter than a worker's claim on a job. */
const timeoutMs = 25_000;
/** The most connections that a process keeps open. */
export const mailConnections = 5;

/** No connection is opened before the first mail, because most processes never send one. */
export function openMailer(smtpUrl: string, baseUrl: string): Mailer {
  const from = { name: "Headwater", address: senderOf(smtpUrl) ?? `headwater@${new URL(baseUrl).hostname}` };
  const open = async () => (await import("nodemailer")).createTransport(optionsOf(smtpUrl));
  let opened: ReturnType<typeof open> | null = null;
  return {
    async send({ id, date, headers, sender, attachments, ...mail }) {
      opened ??= open();
      const transport = await opened;
      const messageId = `<${id}@${new URL(baseUrl).hostname}>`;
      const marks = { "Auto-Submitted": "auto-generated", ...headers };
      const signal = AbortSignal.timeout(timeoutMs);
      await transport
        .sendMail({
          ...mail,
          from: sender === undefined ? from : { ...from, name: shownAs(sender) },
          attachments: attachments && [...attachments],
          date,
          messageId,
          headers: marks,
          signal,
        })
        .catch(refuse);
    },
    close: () => void opened?.then((transport) => transport.close()),
  };
}

/** We count the attempts ourselves, so the pool makes no retries. */
function optionsOf(smtpUrl: string): SMTPPoolOptions & { pool: true } {
  const url = new URL(smtpUrl);
  url.searchParams.delete("from");
  return {
    url: url.href,
    pool: true,
    maxConnections: mailConnections,
    maxRequeues: 0,
    connectionTimeout: 8_000,
    greetingTimeout: 8_000,
    socketTimeout: 15_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** A name that looks like an address would be taken for that of the sender. `＜` and `＠` look like `<` and `@`. */
const shownAs = (name: string): string =>
  oneLine(name.replace(/\P{ASCII}|[<>@"]/gu, (one) => (/[<>@"]/.test(one.normalize("NFKC")) ? " " : one)));

/** The sender address: `?from=` of the URL, or else its user if that is an address. Null when neither is. */
export function senderOf(smtpUrl: string): string | null {
  const { searchParams, username } = new URL(smtpUrl);
  return parseEmail(searchParams.get("from") ?? decodeURIComponent(username), { allowLocalhost: true });
}

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  response?: string;
}

/** A 5xx to the mail itself is final. A 5xx to the login is not, because the operator will correct the login. */
function refuse(error: SmtpError): never {
  const isOfMail = error.code === "EENVELOPE" || error.code === "EMESSAGE";
  const said = error.response ?? error.message;
  if (isOfMail && (error.responseCode ?? 0) >= 500) throw new MailRefused(said);
  throw new Error(said, { cause: error });
}
