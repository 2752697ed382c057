// Raw mail messages for tests.
import { randomUUID } from "node:crypto";

export interface LetterParts {
  from?: string;
  to?: string;
  cc?: string;
  subject?: string;
  text?: string;
  html?: string;
  date?: Date;
  /** With angle brackets. Null for a message without one. */
  messageId?: string | null;
  inReplyTo?: string;
  references?: string;
  headers?: Record<string, string>;
  attachments?: { filename: string; type: string; content: string | Uint8Array; contentId?: string; isInline?: boolean }[];
}

export const newMessageId = (): string => `<${randomUUID()}@mail.example.com>`;

/** A message in the form of RFC 5322, with CRLF. */
export function letter(parts: LetterParts): string {
  const {
    from = "Ann Lee <ann@example.com>",
    to = "us@example.com",
    subject = "Hello",
    date = new Date(),
    text = "Hello\n",
  } = parts;
  const { messageId = newMessageId(), cc, inReplyTo, references = inReplyTo, headers = {} } = parts;
  const head: Record<string, string | null | undefined> = {
    From: from,
    To: to,
    Cc: cc,
    Subject: subject,
    Date: date.toUTCString().replace("GMT", "+0000"),
    "Message-ID": messageId,
    "In-Reply-To": inReplyTo,
    References: references,
    "MIME-Version": "1.0",
    ...headers,
  };
  const lines = Object.entries(head).flatMap(([name, value]) => (value == null ? [] : [`${name}: ${value}`]));
  return [...lines, bodyOf({ ...parts, text })].join("\n").replace(/\r?\n/g, "\r\n");
}

function bodyOf({ text, html, attachments = [] }: LetterParts): string {
  const plain = part("text/plain; charset=utf-8", {}, text!);
  const shown = html === undefined ? plain : multipart("alternative", [plain, part("text/html; charset=utf-8", {}, html)]);
  if (attachments.length === 0) return shown;
  return multipart("mixed", [
    shown,
    ...attachments.map(({ filename, type, content, contentId, isInline = false }) =>
      part(
        `${type}; name="${filename}"`,
        {
          "Content-Disposition": `${isInline ? "inline" : "attachment"}; filename="${filename}"`,
          ...(contentId && { "Content-ID": `<${contentId}>` }),
        },
        content,
      ),
    ),
  ]);
}

function part(type: string, headers: Record<string, string>, content: string | Uint8Array): string {
  const all = { "Content-Type": type, "Content-Transfer-Encoding": "base64", ...headers };
  const base64 = Buffer.from(content).toString("base64").replace(/.{76}/g, "$&\n");
  return `${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("")}\n${base64}\n`;
}

function multipart(kind: string, parts: readonly string[]): string {
  const boundary = `b-${randomUUID()}`;
  return `Content-Type: multipart/${kind}; boundary="${boundary}"\n\n${parts.map((one) => `--${boundary}\n${one}\n`).join("")}--${boundary}--\n`;
}
