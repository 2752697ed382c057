// Reads `Authentication-Results` (RFC 8601). Senders choose some of what is in it: an address may have any signs between quotes, such as
// those that end a result, and servers write addresses into their comments, too.

export interface Results {
  /** The server that wrote them, in lower case. Microsoft names none. */
  server: string | null;
  results: Result[];
}

/** `dkim=pass header.d=acme.example`, in lower case: of a name that is given twice, the first. */
export interface Result {
  method: string;
  result: string;
  properties: ReadonlyMap<string, string>;
}

/** Null for what ends within a comment or quotes, or may have been written so that it reads as another. */
export function authenticationResults(header: string): Results | null {
  const parts = partsOf(header);
  if (parts === null) return null;
  const [first = "", ...rest] = parts;
  const server = first.includes("=") ? null : first.trim().split(/\s+/)[0]!.replaceAll('"', "").toLowerCase();
  return { server, results: (server === null ? parts : rest).flatMap((part) => resultIn(part) ?? []) };
}

/**
 * What stands between semicolons, without comments. A quote that a comment opens and does not end is of an address that ended the comment
 * itself.
 */
function partsOf(header: string): string[] | null {
  const parts: string[] = [];
  let [part, depth, isQuoted] = ["", 0, false];
  for (const [sign] of header.matchAll(/\\[^]|[^]/g)) {
    const isComment = depth > 0;
    if (sign === '"') isQuoted = !isQuoted;
    if (sign === "(" && (isComment || !isQuoted)) depth++;
    if (sign === ")" && isComment) depth--;
    if (isQuoted && isComment && depth === 0) return null;
    // Only within quotes and comments a sign may follow a `\`.
    if (sign.length > 1 && !isComment && !isQuoted) return null;
    if (sign === ";" && depth === 0 && !isQuoted) {
      parts.push(part);
      part = "";
    } else part += isComment || depth > 0 ? " " : sign;
  }
  return depth > 0 || isQuoted ? null : [...parts, part];
}

/** A name and its value, which may be missing. What is in quotes is no name. */
const pairs = /"(?:[^"\\]|\\[^])*"|(?<!\S)([\w./-]+)\s*=(?:\s+(?!\S*=))?((?:"(?:[^"\\]|\\[^])*"|[^\s"])*)/g;

function resultIn(part: string): Result | null {
  const [first, ...others] = [...part.toLowerCase().matchAll(pairs)].flatMap(([, name, value]) =>
    name === undefined ? [] : [[name, value!] as const],
  );
  if (first === undefined) return null;
  const [method] = first[0].split("/");
  return { method: method!, result: first[1], properties: new Map(others.reverse()) };
}
