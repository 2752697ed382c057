// What a client may be allowed: three scopes, each of which includes the ones before it.
import { type Scope, scopes } from "../core/context.ts";

const aliases = new Map<string, Scope>([
  ["mcp.read", "read"],
  ["mcp.write_safe", "write_safe"],
  ["mcp.write_destructive", "write_destructive"],
  ["all.full_access", "write_destructive"],
]);

/** The sentences of the consent page. */
export const sentences: Readonly<Record<Scope, string>> = {
  read: "Read everything that you can see",
  write_safe: "Create and change records, and send mail and messages in your name",
  write_destructive: "Delete, merge and move records, and change many at once",
};

const rankOf = (word: string): number => scopes.indexOf(aliases.get(word) ?? (word as Scope));

/** The widest scope among the words, with those it includes. Unknown words add nothing; without any it is `read`. */
export function included(asked: string): Scope[] {
  const widest = Math.max(0, ...asked.split(" ").map(rankOf));
  return scopes.slice(0, widest + 1);
}
