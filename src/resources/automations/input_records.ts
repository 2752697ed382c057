// What somebody gives an automation to work with as `input`. It acts on that with rights which may be wider than theirs, so the records
// that it names must be such as they see themselves, unless they could let it act with those rights in other ways too.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords, resourceWith } from "../../records/records.ts";
import type { Plan } from "./fields.ts";
import { mayLend } from "./lent_rights.ts";

type Lending = Pick<Plan["settings"], "run_as_user_id">;

export async function checkInput(ctx: Ctx, settings: Lending, input: object): Promise<void> {
  const unseen = await unseenInput(ctx, settings, input);
  if (unseen.length > 0)
    throw invalid(Object.fromEntries(unseen.map((at) => [at, "names a record that does not exist, or that you do not see"])));
}

/** Where it names what is not there, or what the caller does not see. */
export async function unseenInput(ctx: Ctx, settings: Lending, input: object): Promise<string[]> {
  if (mayLend(ctx, settings.run_as_user_id)) return [];
  const anId = new RegExp(`(${ctx.registry.resources.map(({ prefix }) => prefix).join("|")})_[0-9a-hjkmnp-tv-z]{26}`, "g");
  // Also inside of other words and in capitals, because a template could take it out of them.
  const named = [...textsIn(input, "input")].flatMap(([at, text]) =>
    (text.toLowerCase().match(anId) ?? []).map((id) => ({ at, id })),
  );
  const kinds = Map.groupBy(new Set(named.map(({ id }) => id)), (id) => resourceWith(ctx, id));
  const unseen = new Set<string>();
  for (const [of, ids] of kinds) for (const id of await unseenAmong(ctx, of!, ids)) unseen.add(id);
  return [...new Set(named.filter(({ id }) => unseen.has(id)).map(({ at }) => at))];
}

async function unseenAmong(ctx: Ctx, of: Resource, ids: readonly string[]): Promise<string[]> {
  const seen = new Set((await findRecords(ctx, of, [sql`t.id = any(${ids})`])).map(({ id }) => id));
  return ids.filter((id) => !seen.has(id));
}

/** Its texts, and the names of its members, with where each stands. */
function* textsIn(value: unknown, at: string): Generator<[at: string, text: string]> {
  if (typeof value === "string") yield [at, value];
  if (typeof value !== "object" || value === null) return;
  for (const [key, one] of Object.entries(value)) {
    yield [at, key];
    yield* textsIn(one, `${at}.${key}`);
  }
}
