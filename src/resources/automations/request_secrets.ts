// What an automation says to other services: the address, the headers and the body of a request. An address alone may be the whole
// secret, such as that of a chat's hook. So it is shown to those who may write automations, and neither to other members, nor to tools and
// connected applications, nor in events. In its place they have `{"$secret": id}`. Who sends that back, such as an undo, keeps what it stands for.

import type { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { type FieldErrors, refuse } from "../../core/errors.ts";
import { type LookedUp, lookedUp, type Moment } from "../../core/field.ts";
import type { Secrets } from "../../services/secrets.ts";
import { isObject } from "./config.ts";

type Config = Record<string, unknown>;

const ofRequest = ["url", "headers", "body"] as const;

/** The members of a config that are secret, by the type of the step or action. A step of a draft may have no type yet. */
export const secretMembers: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["http.request", ofRequest],
  ["call_webhook", ofRequest],
  ["file.attach", ["url"]],
  ["", ofRequest],
]);

const membersOf = ({ type, config }: { type?: unknown; config?: unknown }): string[] =>
  isObject(config) ? (secretMembers.get(String(type ?? "")) ?? []).filter((key) => config[key] != null) : [];

export const mayReadRequests = ({ actor, request }: Pick<Moment, "actor" | "request">): boolean =>
  actor.permissions.has("manage_email_sequences") && request.byTool !== true && actor.oauth === undefined;

// --- marks ---

interface Owner {
  organization_id: string;
  /** The automation. */
  id: string;
}

interface Mark {
  $secret: string;
}

const prefix = "areq_";

const isMark = (value: unknown): value is Mark =>
  isObject(value) && typeof value.$secret === "string" && value.$secret.startsWith(prefix);

/** The same value of one automation has the same mark, so that who cannot read it sees whether it changed. */
function markOf(secrets: Secrets, { organization_id, id }: Owner, value: unknown): Mark {
  const place = { table: "automation", column: "graph", organization_id, id: `${id} ${JSON.stringify(value)}` };
  return { $secret: prefix + secrets.derive(place).slice(0, 26) };
}

type Part = { type?: unknown; config?: unknown };

function withMarks<T extends Part>(secrets: Secrets, owner: Owner, part: T): T {
  const members = membersOf(part);
  if (members.length === 0) return part;
  const config = part.config as Config;
  const marks = members.map((key) => [key, isMark(config[key]) ? config[key] : markOf(secrets, owner, config[key])]);
  return { ...part, config: { ...config, ...Object.fromEntries(marks) } };
}

/** The steps of a graph, by whatever they stand in: a graph, a plan with one, or a list of actions. */
function everyPart<T>(of: T, change: <P extends Part>(part: P) => P): T {
  if (Array.isArray(of)) return of.map((one) => (isObject(one) ? change(one) : one)) as T;
  if (!isObject(of)) return of;
  if (isObject(of.graph)) return { ...of, graph: everyPart(of.graph, change) };
  if (!isObject(of.steps)) return of;
  const steps = Object.entries(of.steps).map(([id, one]) => [id, isObject(one) ? change(one) : one]);
  return { ...of, steps: Object.fromEntries(steps) };
}

/** A graph, plan or list of actions without what it says to others. */
export const withoutRequests = <T>(secrets: Secrets, owner: Owner, of: T): T =>
  everyPart(of, (part) => withMarks(secrets, owner, part));

// --- how reads and events show it ---

/** A column as reads show it. `id` is the column with the automation's id. */
export const shownToWriters = (column: string, schema: z.ZodType, id = "id"): LookedUp =>
  lookedUp(
    [column, "organization_id", id],
    schema,
    (_directory, value, organization_id: string, automation: string, moment: Moment) =>
      asRead(moment, { organization_id, id: automation }, value),
  );

export const asRead = <T>(moment: Moment, owner: Owner, value: T): T =>
  mayReadRequests(moment) ? value : withoutRequests(moment.settings.secrets, owner, value);

/** A column as events hold it, which every member reads. */
export const told = <T>(value: T, { id }: { id: string }, { organization_id, settings }: Ctx): T =>
  withoutRequests(settings.secrets, { organization_id, id }, value);

/** The config of a step as its run shows it, where values are filled in. */
export function configAsRead(moment: Pick<Moment, "actor" | "request">, type: string, config: unknown): unknown {
  if (mayReadRequests(moment)) return config;
  const members = membersOf({ type, config });
  return members.length === 0 ? config : { ...(config as Config), ...Object.fromEntries(members.map((key) => [key, "***"])) };
}

// --- what is sent back ---

/**
 * What was given, with the values of its marks: those of `before`, which is what the automation says now, and of its versions. Refuses
 * other marks with their places. `nameOf` says where in the request a step or an action is.
 */
export async function withValues<T>(ctx: Ctx, id: string, before: readonly unknown[], given: T, at: string): Promise<T> {
  if (!JSON.stringify(given).includes(`"${prefix}`)) return given;
  const owner = { organization_id: ctx.organization_id, id };
  const known = new Map<string, unknown>();
  const learn = <P extends Part>(part: P): P => {
    for (const key of membersOf(part)) {
      const value = (part.config as Config)[key];
      known.set(markOf(ctx.settings.secrets, owner, value).$secret, value);
    }
    return part;
  };
  for (const one of [...(await publishedGraphs(ctx, id)), ...before]) everyPart(one, learn);

  const errors: FieldErrors = {};
  const parts = (Array.isArray(given) ? [...given.entries()] : Object.entries((given as any).steps ?? {})) as [string, unknown][];
  const places = new Map(parts.map(([name, part]) => [part, Array.isArray(given) ? `${at}.${name}` : `${at}.steps.${name}`]));
  const filled = everyPart(given, (part) => {
    const config = { ...(part.config as Config) };
    for (const key of membersOf(part)) {
      const value = config[key];
      if (!isMark(value)) continue;
      if (known.has(value.$secret)) config[key] = known.get(value.$secret);
      else errors[`${places.get(part)}.config.${key}`] = "names a value that this automation does not have: give the value again";
    }
    return { ...part, config };
  });
  refuse(errors);
  return filled;
}

const versionsRead = 50;

async function publishedGraphs(ctx: Ctx, id: string): Promise<unknown[]> {
  const rows = await query(ctx, {
    name: "automation_version.requests",
    text: `select graph from automation_version where organization_id = $1 and automation_id = $2 order by date_created desc limit ${versionsRead}`,
    values: [ctx.organization_id, id],
  });
  return rows.map(([graph]) => JSON.parse(graph!));
}
