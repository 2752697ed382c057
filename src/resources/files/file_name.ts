// The name of a file as people see it in links and headers. It is never a path.

const bytesMax = 255;
const linkMax = 100;

/** Normalized, without control and path characters, at most 255 bytes. Null when nothing is left. */
export function cleanName(raw: string): string | null {
  const name = raw
    .normalize("NFC")
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, "")
    .replace(/[/\\]/g, "_")
    .trim();
  if (name === "" || name === "." || name === "..") return null;
  return cut(name, bytesMax, Buffer.byteLength);
}

/** The name as the last part of a link. */
export const linkName = (name: string): string =>
  encodeURIComponent(cut(name, linkMax, (text) => encodeURIComponent(text).length));

/** Cuts out the middle, so that the extension stays. */
function cut(name: string, max: number, sizeOf: (text: string) => number): string {
  if (sizeOf(name) <= max) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  const letters = Array.from(name.slice(0, name.length - ending.length));
  let size = sizeOf(ending);
  let kept = "";
  for (const letter of letters) {
    size += sizeOf(letter);
    if (size > max) break;
    kept += letter;
  }
  return kept + ending;
}

/** RFC 6266: the plain form for old clients, the encoded one for the rest. */
export function disposition(kind: "inline" | "attachment", name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
