// Errors from a server of a cluster come through the coordinator as a message without its parts, and names end in the number of a
// shard. Through COPY even the code is lost. This turns them back into the error that a single server would have given.

interface Told extends Error {
  code?: string;
  constraint?: string;
  table?: string;
  detail?: string;
}

const name = (part: string) => `"(?<${part}>[^"]+)"`;

/** PostgreSQL's messages for violated constraints, by their codes. */
const refusals: readonly [code: string, words: RegExp][] = [
  ["23505", new RegExp(`duplicate key value violates unique constraint ${name("constraint")}`)],
  ["23503", new RegExp(`insert or update on table ${name("table")} violates foreign key constraint ${name("constraint")}`)],
  ["23503", new RegExp(`violates foreign key constraint ${name("constraint")} on table ${name("table")}`)],
  ["23514", new RegExp(`new row for relation ${name("table")} violates check constraint ${name("constraint")}`)],
  ["23502", new RegExp(`null value in column "[^"]+" of relation ${name("table")} violates not-null constraint`)],
];

/** The error as a single server tells it; any other error unchanged. `text` is the statement that failed, if there was one. */
export function asToldByOneServer(error: Error, text = ""): Error {
  const { code = "", constraint, message, detail } = error as Told;
  if (constraint !== undefined || !(code === "XX000" || code.startsWith("23"))) return error;
  for (const [known, words] of refusals) {
    const parts = words.exec(message)?.groups;
    if (parts === undefined) continue;
    const table = parts.table === undefined ? writtenBy(text) : withoutShard(parts.table);
    return Object.assign(error, {
      code: known,
      constraint: parts.constraint && withoutShard(parts.constraint),
      table,
      message: withoutShards(message),
      detail: detail && withoutShards(detail),
    });
  }
  return error;
}

/** `lead_pkey_102008` → `lead_pkey`. Numbers of shards have six or more digits. */
const withoutShard = (named: string): string => named.replace(/_\d{6,}$/, "");

const withoutShards = (words: string): string => words.replace(/"[^"]+"/g, (quoted) => `"${withoutShard(quoted.slice(1, -1))}"`);

/** The table that a statement writes. */
const writtenBy = (text: string): string | undefined => /\b(?:insert into|update|delete from)\s+"?(\w+)"?/i.exec(text)?.[1];
