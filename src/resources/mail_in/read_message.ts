// Turns a message from the server into one that can be filed. A message that cannot be parsed, or is too large, is stored all the
// same: its headers, a sentence that says so, and the message itself as an attachment.
import PostalMime, { type Email } from "postal-mime";
import { type ArrivedMail, arrivedMail } from "./arrived.ts";

/** Larger messages are not fetched as a whole. In bytes. */
export const largestMessage = 45_000_000;
/** How much of a larger message is fetched. This contains its headers. */
export const beginningOfLarge = 256_000;

/** A message with more attachments is kept as one: each of them would be a file of its own. */
const partsMost = 200;

/** Parsed, whatever it is made of. */
export async function readMessage(source: Uint8Array, arrivedAt: Date): Promise<ArrivedMail> {
  try {
    const email = await PostalMime.parse(source);
    return email.attachments.length > partsMost ? readAsItCame(source, arrivedAt) : arrivedMail(email, arrivedAt);
  } catch {
    return readAsItCame(source, arrivedAt);
  }
}

/** Whole, as an attachment. */
export async function readAsItCame(source: Uint8Array, arrivedAt: Date): Promise<ArrivedMail> {
  const attachment = { filename: "message.eml", mimeType: "message/rfc822", disposition: "attachment" as const };
  return arrivedMail(
    {
      ...(await headersOf(source)),
      text: "This message could not be parsed. It is attached as it came.",
      // Copied, because a Buffer may share its memory with others.
      attachments: [{ ...attachment, content: new Uint8Array(source).buffer }],
    },
    arrivedAt,
  );
}

/** What its beginning tells of one that is too large, or that did not come in several attempts. */
export async function readBeginning(
  beginning: Uint8Array,
  bytes: number,
  arrivedAt: Date,
  wasTried: boolean,
): Promise<ArrivedMail> {
  const reason = wasTried ? "and its server did not hand it over in several attempts" : "too many to be fetched";
  const text = `This message has ${Math.round(bytes / 1_000_000)} MB, ${reason}. It lies in the mailbox.`;
  return arrivedMail({ ...(await headersOf(beginning)), text, attachments: [] }, arrivedAt);
}

const headersMost = 64_000;

/** The sender and the subject, as far as they can be read. */
async function headersOf(source: Uint8Array): Promise<Email> {
  const text = Buffer.from(source.subarray(0, headersMost)).toString("latin1");
  const [head = ""] = text.split(/\r?\n\r?\n/, 1);
  // For a body of another kind than plain text, the parser would look further.
  const plain = head.replace(/^content-[\w-]+:.*(?:\r?\n[ \t].*)*(?:\r?\n)?/gim, "");
  const read = await PostalMime.parse(Buffer.from(`${plain.trimEnd()}\r\n\r\n`, "latin1")).catch(() => null);
  return { headers: [], headerLines: [], ...read, html: undefined, attachments: [] } as unknown as Email;
}
