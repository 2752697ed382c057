// Reads the file name from a `Content-Disposition` header, of a form part or a fetched file (RFC 6266, RFC 8187).

export interface Disposition {
  name: string | null;
  /** The name without the folders that some senders put in front. */
  filename: string | null;
}

export function readDisposition(header: string): Disposition {
  const given: Record<string, string> = {};
  for (const [, key, quoted, plain] of header.matchAll(/;\s*(name|filename\*?)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;\s]*))/gi))
    given[key!.toLowerCase()] = quoted === undefined ? plain! : quoted.replace(/\\(["\\])/g, "$1").replaceAll("%22", '"');
  const filename = encodedName(given["filename*"]) ?? given.filename ?? null;
  return { name: given.name ?? null, filename: filename === null ? null : filename.replace(/^.*[/\\]/, "") };
}

/** `UTF-8''Angebot%20f%C3%BCr.pdf` */
function encodedName(value: string | undefined): string | null {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? "")?.[1];
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
