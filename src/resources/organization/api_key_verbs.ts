// The verbs of API keys. The text of a key is returned once, when it is created.
import { newKey } from "../../auth/key.ts";
import { hashOf } from "../../auth/unscoped.ts";
import { type Ctx, query, type Scope, scopes } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { announceChange } from "../../records/change.ts";
import { findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { refuseBudgeted } from "../agents/budget.ts";
import { notByConnection } from "../shared/not_by_connection.ts";
import { apiKey } from "./api_key.ts";
import { endsSoon } from "./ending_keys.ts";
import { previewOf } from "./found.ts";

type ApiKey = Row<typeof apiKey>;

/** How many active keys a person may have in one organization. */
const liveKeysMax = 50;

export async function createApiKey(ctx: Ctx, given: Create<typeof apiKey>): Promise<ApiKey & { key: string }> {
  refuseBudgeted(ctx);
  notByConnection(ctx);
  if (typeof given.expires_at === "string" && given.expires_at <= ctx.now.toISOString())
    throw invalid({ expires_at: "must be in the future" });
  const wanted = given.scopes ?? scopes.filter((scope) => ctx.actor.scopes.has(scope));
  if (wanted.some((scope) => !ctx.actor.scopes.has(scope as Scope)))
    throw invalid({ scopes: "go beyond the scopes of the key you are using" });
  const expires_at = await endOf(ctx, given.expires_at ?? null);
  await checkCount(ctx);

  const key = newKey();
  const row = store.insert(ctx, apiKey, {
    ...given,
    expires_at,
    told_at: expires_at !== null && endsSoon(expires_at, ctx.now) ? ctx.now.toISOString() : null,
    name: given.name ?? "API key",
    scopes: [...wanted],
    user_id: ctx.actor.user_id,
    hash: `\\x${hashOf(key)}`,
    key_preview: previewOf(key),
  });
  announceChange(ctx);
  return Object.assign(row, { key });
}

/** A key that ends makes none that goes on after it. */
async function endOf(ctx: Ctx, wanted: string | null): Promise<string | null> {
  const own = await findRecord(ctx, apiKey, ctx.actor.api_key_id ?? "");
  if (own === null || own.expires_at === null) return wanted;
  if (wanted !== null && wanted > own.expires_at)
    throw invalid({ expires_at: `must not be after ${own.expires_at}, when the key that you are using ends` });
  return wanted ?? own.expires_at;
}

export async function deleteApiKey(ctx: Ctx, before: ApiKey): Promise<void> {
  await store.remove(ctx, apiKey, [before]);
  announceChange(ctx);
}

// The membership is locked, so that two requests at once cannot both pass the limit.
async function checkCount(ctx: Ctx): Promise<void> {
  const { organization_id, user_id } = ctx.actor;
  await query(
    ctx,
    statement(sql`select from membership where organization_id = ${organization_id} and user_id = ${user_id} for no key update`),
  );
  const [row] = await query(
    ctx,
    statement(sql`select count(*) from api_key where organization_id = ${organization_id} and user_id = ${user_id}
      and (expires_at is null or expires_at > ${ctx.now})`),
  );
  if (Number(row![0]) >= liveKeysMax) throw invalid({}, `You have ${liveKeysMax} keys here: delete one first.`);
}
