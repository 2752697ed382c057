// Composes an e-mail for the wire (RFC 5322, MIME). Nothing that somebody wrote can end a header or start another one.
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { domainToASCII } from "node:url";
import type { Row } from "../../core/resource.ts";
import { needsUtf8 } from "../../services/smtp_letters.ts";
import { domainOf } from "../../values/email.ts";
import { headerWords } from "../../values/header_words.ts";
import { oneLine } from "../../values/one_line.ts";
import type { email } from "../activities/email.ts";
import { people, person } from "../activities/recipients.ts";

type Email = Row<typeof email>;

/** An attachment, whose bytes are read when they are needed. */
export interface Part {
  filename: string;
  content_type: string;
  size: number;
  /** The name under which the body shows it. */
  content_id: string | null;
  read(): Promise<AsyncIterable<Uint8Array>>;
}

export interface Composition {
  mail: Email;
  /** The address that sends it, when that is not the author's. */
  sender: string | null;
  date: Date;
  message_id: string;
  in_reply_to: string | null;
  text: string;
  html: string | null;
  headers?: Record<string, string>;
  parts: readonly Part[];
  /** Names the hidden recipients too: only for the sender's own copy. */
  showsBcc?: boolean;
  /** False where the server takes only headers in ASCII: addresses that have no such form are left out. */
  utf8?: boolean;
}

/** Made from the activity's id and content: the same at every attempt, and a new one when it was rewritten. */
export function messageIdOf({ id, sender, to, cc, bcc, subject, body_text, body_html, attachments }: Email): string {
  const said = JSON.stringify([sender, to, cc, bcc, subject, body_text, body_html, attachments]);
  const which = createHash("sha256").update(said).digest("hex").slice(0, 12);
  const domain = domainToASCII(domainOf(person(sender!).email)) || "localhost";
  return `<${id}.${which}@${domain}>`;
}

/** The text of the mail, to be read once. */
export async function composer(): Promise<(of: Composition) => Readable> {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  return (of) => {
    const node = new MailComposer(optionsOf(of)).compile();
    node.keepBcc = of.showsBcc === true;
    return node.createReadStream();
  };
}

function optionsOf({
  mail,
  sender,
  date,
  message_id,
  in_reply_to,
  text,
  html,
  headers = {},
  parts,
  showsBcc,
  utf8,
}: Composition) {
  const named = (list: readonly string[]) =>
    people(list)
      .filter(({ email }) => utf8 !== false || !needsUtf8(email))
      .map(asAddress);
  return {
    from: asAddress(person(mail.sender!)),
    ...(sender !== null && { sender }),
    ...(mail.envelope !== null && { replyTo: mail.envelope.reply_to.map(asAddress) }),
    to: named(mail.to),
    cc: named(mail.cc),
    ...(showsBcc && { bcc: named(mail.bcc) }),
    subject: headerWords(oneLine(mail.subject, 1000)),
    date,
    messageId: message_id,
    ...(in_reply_to !== null && { inReplyTo: in_reply_to }),
    references: mail.references.join(" "),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, { prepared: true, value: oneLine(value, 900) }]),
    ),
    text,
    ...(html !== null && { html: page(html) }),
    attachments: parts.map(attachmentOf),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const asAddress = ({ email, name }: { email: string; name: string | null }) => ({
  address: email,
  name: oneLine(name ?? "", 255),
});

const page = (body: string): string =>
  `<!doctype html>\n<html><head><meta charset="utf-8"></head>${body.startsWith("<body") ? body : `<body>${body}</body>`}</html>\n`;

function attachmentOf({ filename, content_type, content_id, read }: Part) {
  return {
    filename: oneLine(filename, 200),
    contentType: /^[\w.+-]+\/[\w.+-]+$/.test(content_type) ? content_type : "application/octet-stream",
    ...(content_id !== null && { cid: content_id.replace(/[^\x21-\x7e]|[<>]/g, ""), contentDisposition: "inline" }),
    content: Readable.from(lazily(read)),
  };
}

async function* lazily(read: Part["read"]): AsyncGenerator<Uint8Array> {
  yield* await read();
}
