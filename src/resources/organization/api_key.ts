// An API key acts as its user in its organization, within the limits of the user's role and the key's scopes.

import { may, scopes } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { once, ref, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { notAmong } from "../../values/reasons.ts";

export const apiKey = resource({
  name: "api_key",
  called: ["API key", "API keys"],
  prefix: "apikey",
  doc: "A key acts as its user in the organization it was created in. Only a hash of its text is kept.",
  event: null,
  mcp: false,
  narrows: true,
  visible: (ctx, alias) => (may(ctx, "manage_organization") ? null : sql`${name(alias)}.user_id = ${ctx.actor.user_id}`),
  indexed: ["user_id"],
  sort: { name: true },
  fields: {
    name: text({ doc: "The purpose of the key; by default `API key`." }),
    user_id: ref(
      "user",
      { onDelete: "keep", onMove: "keep" },
      { readOnly: true, required: true, doc: "The user the key acts as." },
    ),
    key: once("The key itself, shown only when it is created."),
    key_preview: text({ required: true, readOnly: true, doc: "The last four characters of the key." }),
    scopes: texts({
      createOnly: true,
      default: [...scopes] as string[],
      normalize: withLesserScopes,
      doc: "The limit of what the key may do: `read`, `write_safe` (create, change, send) or `write_destructive` (delete, merge, move, bulk). Each includes the one before.",
    }),
    expires_at: timestamp({ createOnly: true, doc: "When the key stops working; by default never." }),
    last_used_at: timestamp({ readOnly: true, doc: "When the key was last used, to the minute." }),
    told_at: timestamp({ readOnly: true, hidden: true }),
    hash: text({ required: true, readOnly: true, hidden: true }),
  },
});

function withLesserScopes(given: string[]): string[] {
  if (given.length === 0) throw invalid({ "": "must not be empty" });
  given.forEach((scope, i) => {
    if (!(scopes as readonly string[]).includes(scope)) throw invalid({ [i]: notAmong(scope, scopes) });
  });
  const widest = Math.max(...given.map((scope) => (scopes as readonly string[]).indexOf(scope)));
  return scopes.slice(0, widest + 1);
}
