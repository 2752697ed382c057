// The headers of `http.request` that prove something, such as a token. A graph has `{"$secret": id}` in place of the value, which is
// sealed in a table of its own, so that neither readers of the automation nor its events or versions show it. A secret belongs to one
// automation and to the host it was given for: who may edit the automation cannot send it elsewhere.
import { type Ctx, query, write } from "../../core/context.ts";
import { type FieldErrors, refuse } from "../../core/errors.ts";
import { newId } from "../../values/id.ts";
import { isObject } from "./config.ts";
import { StepFailure } from "./step_failure.ts";

type Config = Record<string, unknown>;

/** These tell nothing. */
export const harmless = /^(accept(-.*)?|cache-control|content-(type|language|encoding)|if-.*|user-agent|x-request-id)$/i;

interface Secret {
  id: string;
  bound_to: string;
  value: string;
}

/** Seals the headers of requests of one automation. Refuses secrets that are not for these requests, with their places. */
export async function sealHeaders<T>(ctx: Ctx, automationId: string, requests: readonly Request<T>[]): Promise<Map<T, Config>> {
  const withHeaders = requests.filter(({ config }) => isObject(config.headers));
  const kept = withHeaders.length === 0 ? [] : await secretsOf(ctx, automationId);
  const errors: FieldErrors = {};
  const sealed = new Map<T, Config>();
  for (const { of, config, at } of withHeaders) {
    const bound_to = boundTo(config.url);
    const headers = Object.entries(config.headers as Config).map(([name, given]): [string, unknown] => {
      const known = kept.find(({ id }) => isObject(given) && given.$secret === id);
      if (isObject(given) && "$secret" in given && known?.bound_to !== bound_to) errors[`${at}.headers.${name}`] = lost(known);
      const value = harmless.test(name) ? null : literalOf(given);
      return [name, value === null ? given : { $secret: keep(ctx, automationId, kept, bound_to, value) }];
    });
    sealed.set(of, { ...config, headers: Object.fromEntries(headers) });
  }
  refuse(errors);
  return sealed;
}

export interface Request<T> {
  of: T;
  config: Config;
  /** Where errors are. */
  at: string;
}

const lost = (known: Secret | undefined): string =>
  known === undefined
    ? "names a secret that this automation does not have: give its value again"
    : `was given for ${known.bound_to}: give its value again for another address`;

/** What is written there as it is sent. What is filled in comes from records. */
function literalOf(given: unknown): string | null {
  const text = isObject(given) && Object.keys(given).length === 1 ? given.$template : given;
  return typeof text === "string" && text !== "" && !(isObject(given) && /\{[{%]/.test(text)) ? text : null;
}

/** The host of an address, or the text of what it is made of. */
const boundTo = (url: unknown): string =>
  (typeof url === "string" ? URL.parse(url)?.origin : undefined) ?? JSON.stringify(url ?? null);

/** The id that stands for it: that of the same secret, if there is one. */
function keep(ctx: Ctx, automationId: string, kept: Secret[], bound_to: string, value: string): string {
  const same = kept.find((one) => one.bound_to === bound_to && one.value === value);
  if (same !== undefined) return same.id;
  const id = newId("asec", ctx.now.getTime());
  const sealed = ctx.settings.secrets.seal(value, placeOf(ctx, id));
  write(ctx, {
    name: "automation_secret.insert",
    text: `insert into automation_secret (organization_id, id, automation_id, bound_to, sealed_value, date_created)
           values ($1, $2, $3, $4, $5, $6)`,
    values: [ctx.organization_id, id, automationId, bound_to, sealed, ctx.now],
  });
  kept.push({ id, bound_to, value });
  return id;
}

const placeOf = ({ organization_id }: Ctx, id: string) => ({
  table: "automation_secret",
  column: "sealed_value",
  organization_id,
  id,
});

async function secretsOf(ctx: Ctx, automationId: string): Promise<Secret[]> {
  const rows = await query(ctx, {
    name: "automation_secret.of_automation",
    text: "select id, bound_to, sealed_value from automation_secret where organization_id = $1 and automation_id = $2",
    values: [ctx.organization_id, automationId],
  });
  return rows.map(([id, bound_to, sealed]) => ({
    id: id!,
    bound_to: bound_to!,
    value: ctx.settings.secrets.open(sealed!, placeOf(ctx, id!)),
  }));
}

/** The headers with their secrets, for a request whose address is written as `url` in the graph. */
export async function openHeaders(ctx: Ctx, automationId: string, url: unknown, headers: Config): Promise<Config> {
  const isSecret = (value: unknown): value is { $secret: string } => isObject(value) && typeof value.$secret === "string";
  if (!Object.values(headers).some(isSecret)) return headers;
  const kept = new Map((await secretsOf(ctx, automationId)).map((one) => [one.id, one]));
  const opened = Object.entries(headers).map(([name, value]) => {
    if (!isSecret(value)) return [name, value];
    const found = kept.get(value.$secret);
    if (found?.bound_to !== boundTo(url)) throw new StepFailure("credential_missing", "config", `headers.${name} ${lost(found)}`);
    return [name, found.value];
  });
  return Object.fromEntries(opened);
}
