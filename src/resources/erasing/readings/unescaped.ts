// Text with its escapes resolved: those of JSON, of quoted-printable, and the folded lines of cards and calendars.

export const hasEscapes = (text: string): boolean => /\\u[0-9a-f]{4}|=[0-9A-F]{2}|=\r?\n|\n[ \t]/i.test(text);

export const unescaped = (text: string): string =>
  text
    .replace(/\\u([0-9a-f]{4})/gi, (_, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
    .replace(/=\r?\n|\r?\n[ \t]/g, "")
    .replace(/(?:=[0-9A-F]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("=", ""), "hex").toString());
