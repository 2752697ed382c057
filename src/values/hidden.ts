// What tools never show: values that open something to whoever has them. A text in a record may tell an agent to pass on what it reads,
// and such a value would work for anybody, without a key. They are known by their names, and the addresses among them wherever they stand.
import { escapePattern } from "./escape_pattern.ts";

const names = [
  "api_key",
  "client_secret",
  "invitation_url",
  "public_url",
  "share_url",
  "share_url_base64",
  "signature_key",
  "signing_secret",
  "webhook_secret",
  "webhook_url",
];
const hidden = new Set(names);
const any = new RegExp(`"(${names.join("|")}|webhook)":`);

export const notShown = "not shown to tools: read it by REST";

/** The JSON of an answer without them. Few answers have any, so the others are parsed as they are. */
export function parseShown(json: string, baseUrl: string): any {
  const shown = withoutLinks(json, baseUrl);
  return any.test(shown) ? JSON.parse(shown, withoutHidden) : JSON.parse(shown);
}

/** The same for values on their way into a text: a template could take an address to pieces. */
export function hiddenIn<T>(value: T): T {
  if (Array.isArray(value)) return value.map(hiddenIn) as T;
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutHidden(key, hiddenIn(one))])) as T;
}

/** A text without addresses below this one that are secrets themselves: of files, quotes, hooks, subscriptions, invitations, passwords. */
export const withoutLinks = (text: string, baseUrl: string): string => text.replace(linksBelow(baseUrl), notShown);

const secretPaths = "f|q|u|hooks|invite|password|digests";
const patterns = new Map<string, RegExp>();

/** Such addresses as they are, or as a part of another one. */
function linksBelow(baseUrl: string): RegExp {
  const [plain, encoded] = [baseUrl, encodeURIComponent(baseUrl)].map(escapePattern);
  const made =
    patterns.get(baseUrl) ??
    new RegExp(`${plain}/(?:${secretPaths})/[\\w-]{8,}[^\\s"'<>\\\\)]*|${encoded}%2F(?:${secretPaths})%2F[\\w%.-]{8,}`, "gi");
  patterns.set(baseUrl, made);
  return made;
}

function withoutHidden(key: string, value: unknown): unknown {
  if (typeof value === "string" && hidden.has(key)) return notShown;
  // The address of an automation's hook starts it.
  if (key === "webhook" && typeof value === "object" && value !== null && "url" in value) return { ...value, url: notShown };
  return value;
}
