// Reads the query string: texts by name, each name once. `_params` in a body replaces a query that is too long for an address.
import { invalid } from "../core/errors.ts";
import { isStorable, unstorable } from "./body.ts";

const parametersMax = 100;
const valueMax = 8192;

// Objects that inherit nothing. V8 treats `Object.create(null)` as a hash table, which costs six times as much to write and read.
const Query = function () {} as unknown as { new (): Record<string, string>; prototype: object };
Query.prototype = Object.create(null);

const noParameters: Readonly<Record<string, string>> = Object.freeze(new Query());

export function parseQuery(text: string): Record<string, string> {
  if (text === "") return noParameters as Record<string, string>;
  const query = new Query();
  let count = 0;
  for (const part of text.split("&")) {
    if (part === "") continue;
    if (++count > parametersMax) throw invalid({ query: `must have ${parametersMax} parameters or fewer` });
    const at = part.indexOf("=");
    const name = decoded(at < 0 ? part : part.slice(0, at), "query");
    add(query, name, decoded(at < 0 ? "" : part.slice(at + 1), name), valueMax);
  }
  return query;
}

/** Adds the parameters a body carries under `_params`: lists joined with commas, numbers and booleans as text. */
export function withParams(query: Record<string, string>, params: unknown): Record<string, string> {
  if (typeof params !== "object" || params === null || Array.isArray(params)) throw invalid({ _params: "must be an object" });
  const entries = Object.entries(params);
  if (entries.length + Object.keys(query).length > parametersMax)
    throw invalid({ _params: `must have ${parametersMax} parameters or fewer` });

  const merged: Record<string, string> = Object.assign(new Query(), query);
  for (const [name, value] of entries) add(merged, name, textOf(name, value), Number.MAX_SAFE_INTEGER);
  return merged;
}

function add(query: Record<string, string>, name: string, value: string, max: number): void {
  if (!isStorable(name)) throw invalid({ query: unstorable });
  if (name === "__proto__") throw invalid({ ["__proto__"]: "is not allowed" });
  if (name in query) throw invalid({ [name]: "must be given once; join several values with commas" });
  if (value.length > max) throw invalid({ [name]: `must be ${max} characters or fewer` });
  if (!isStorable(value)) throw invalid({ [name]: unstorable });
  query[name] = value;
}

function textOf(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => textOf(name, one)).join(",");
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw invalid({ [`_params.${name}`]: "must be text, a number, true, false or a list of these" });
}

function decoded(text: string, name: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw invalid({ [name]: "must be percent-encoded UTF-8" });
  }
}
