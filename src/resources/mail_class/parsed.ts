// The parts of a received message that classification uses: its headers, what the sender wrote, and parts made by programs.
// Everything is cut to a maximum size, so that the time does not depend on the sender.
import { headersIn } from "./header_lines.ts";
import { writtenIn } from "./written.ts";

/** The parts of a message that its class depends on. The result of `postal-mime` has this shape. */
export interface ParsedMessage {
  /** Names in lower case. */
  headers: readonly { key: string; value: string }[];
  from?: { address?: string | undefined } | undefined;
  subject?: string | undefined;
  text?: string | undefined;
  html?: string | undefined;
  attachments: readonly MessagePart[];
}

interface MessagePart {
  mimeType: string;
  /** For a calendar: `REQUEST`, `REPLY` and the like. */
  method?: string | undefined;
  content: ArrayBuffer | Uint8Array | string;
  encoding?: "base64" | "utf8" | undefined;
}

export interface Facts {
  /** The first header of this name, or "". */
  header(name: string): string;
  from: string;
  subject: string;
  /** What the sender wrote, without quotations and signature. */
  written: string;
  /** The plain text as it came. */
  text: string;
  /** The text of the parts of these types. */
  parts(...mimeTypes: string[]): string[];
  /** The method of an attached calendar, in capitals. Null without a calendar. */
  calendar: string | null;
}

const headerMax = 2000;
const textMax = 100_000;
const partMax = 262_144;
const partsMax = 20;

export function factsOf(message: ParsedMessage): Facts {
  const headers = new Map<string, string>();
  for (const { key, value } of message.headers) if (!headers.has(key)) headers.set(key, value.slice(0, headerMax).trim());
  const parts = (...mimeTypes: string[]) =>
    message.attachments
      .filter((one) => mimeTypes.includes(one.mimeType))
      .slice(0, partsMax)
      .map(contentOf);
  return {
    header: (name) => headers.get(name) ?? "",
    from: (message.from?.address ?? "").toLowerCase(),
    subject: (message.subject ?? "").slice(0, headerMax).normalize("NFC").trim(),
    written: writtenIn(message),
    text: (message.text ?? "").slice(0, textMax),
    parts,
    calendar: methodOf(message.attachments),
  };
}

function methodOf(attachments: readonly MessagePart[]): string | null {
  const calendar = attachments.find(({ mimeType }) => mimeType === "text/calendar" || mimeType === "application/ics");
  if (calendar === undefined) return null;
  return calendar.method ?? headersIn(contentOf(calendar).slice(0, headerMax))[0]?.get("method")?.toUpperCase() ?? "";
}

function contentOf({ content, encoding }: MessagePart): string {
  if (typeof content === "string")
    return encoding === "base64" ? Buffer.from(content.slice(0, partMax), "base64").toString() : content.slice(0, partMax);
  const bytes = content instanceof ArrayBuffer ? new Uint8Array(content) : content;
  return Buffer.from(bytes.subarray(0, partMax)).toString();
}
