// The header `Idempotency-Key`. The answer is stored in the transaction of the change, so a repeated request finds both or neither.
import { createHash } from "node:crypto";
import { type Ctx, credentialOf, read, write } from "../core/context.ts";
import { conflict } from "../core/errors.ts";
import type { Given } from "../core/operation.ts";
import type { Answered, Around } from "../core/perform.ts";

/** Names the request that did it, in the answer to one that repeats it. */
export const firstRequest = "idempotency-request-id";

/** Answers a request with this key once: a repeated one gets the stored answer, marked as replayed. */
export const once =
  (key: string): Around =>
  (ctx, { given }, act) =>
    onceFor(ctx, key, asked(given), act);

const asked = ({ query, body, upload }: Given): unknown[] =>
  upload === undefined ? [query, body] : [query, body, upload.name, upload.mime, upload.received.sha256];

async function onceFor(ctx: Ctx, key: string, body: unknown, act: () => Promise<Answered>): Promise<Answered> {
  const holder = credentialOf(ctx.actor);
  const scope = [ctx.organization_id, holder, ctx.request.method, ctx.request.path, key];
  // The answer is stored encrypted, because it may show a secret that is kept nowhere else.
  const place = { table: "idempotency_key", column: "body", organization_id: ctx.organization_id, id: scope.join("\n") };
  const fingerprint = createHash("sha256").update(JSON.stringify(body)).digest("base64url");

  const [lock] = await read(ctx, {
    name: "idempotency.lock",
    text: "select pg_try_advisory_xact_lock(hashtextextended($1, 0))",
    values: [scope.join("\n")],
  });
  if (lock![0] !== "t") throw conflict(409);
  const [known] = await read(ctx, {
    name: "idempotency.find",
    text: `select fingerprint, status, headers, body from idempotency_key
           where organization_id = $1 and holder = $2 and method = $3 and path = $4 and key = $5 and date_created > $6::timestamptz - interval '24 hours'`,
    values: [...scope, ctx.now],
  });
  if (known !== undefined) {
    if (known[0] !== fingerprint) throw conflict(422);
    return {
      status: Number(known[1]),
      headers: { ...JSON.parse(known[2]!), "idempotency-replayed": "true" },
      body: ctx.settings.secrets.open(known[3]!, place),
    };
  }

  const answer = await act();
  if (typeof answer.body !== "string") throw new Error("what a write answers is kept for repeated requests, and must be text");
  write(ctx, {
    name: "idempotency.store",
    text: `insert into idempotency_key (organization_id, holder, method, path, key, fingerprint, status, headers, body, date_created)
           values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)
           on conflict (organization_id, holder, method, path, key) do update
           set fingerprint = $6, status = $7, headers = $8, body = $9, date_created = $10`,
    values: [
      ...scope,
      fingerprint,
      answer.status,
      JSON.stringify({ ...answer.headers, [firstRequest]: ctx.request.id }),
      ctx.settings.secrets.seal(answer.body, place),
      ctx.now,
    ],
  });
  return answer;
}
