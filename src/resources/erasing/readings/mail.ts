// A stored mail: its words, and the files in it.
import PostalMime, { type Email } from "postal-mime";

/** As its media type says, or its headers. */
export const isMail = (mime: string, begin: string): boolean =>
  mime === "message/rfc822" ||
  (/^(?:[\w-]+:.*\r?\n(?:[ \t].*\r?\n)*)+\r?\n/.test(begin) && /^(?:mime-version|received|message-id):/im.test(begin));

export interface Mail {
  words: string;
  attachments: { name: string; mime: string; bytes: Buffer }[];
}

/** Null for one that cannot be parsed. */
export async function mailIn(bytes: Uint8Array): Promise<Mail | null> {
  try {
    const mail = await PostalMime.parse(bytes);
    const attachments = mail.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? "",
      mime: mimeType,
      bytes: Buffer.from(content as ArrayBuffer),
    }));
    return { words: wordsOf(mail), attachments };
  } catch {
    return null;
  }
}

function wordsOf({ subject, from, sender, replyTo, to, cc, bcc, text, html, headers }: Email): string {
  const people = [from, sender, ...(replyTo ?? []), ...(to ?? []), ...(cc ?? []), ...(bcc ?? [])];
  const told = people.flatMap((one) =>
    one === undefined ? [] : [one.name, one.address, ...(one.group ?? []).flatMap(({ name, address }) => [name, address])],
  );
  return [subject, ...told, ...headers.map(({ value }) => value), text, html].filter(Boolean).join("\n");
}
