// The organization's keys for other services. A secret can be set but never read: reads show its last characters, or only that it
// is set.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { bad, below, collect, type FieldErrors, invalid, notFound, refuse } from "../../core/errors.ts";
import { JsonText, type Operation, operation, reportUnknown } from "../../core/operation.ts";
import type { Row, Values } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { hostInUrl, parseHost } from "../../values/host.ts";
import { newId } from "../../values/id.ts";
import { same } from "../../values/same.ts";
import { unknownWithin } from "../../values/unknown_keys.ts";
import { parseUrl } from "../../values/url.ts";
import { isSynced, listSyncJobs } from "../lists/list_sync_jobs.ts";
import { type ShownSync, shownSync, syncsOf } from "../lists/list_syncs.ts";
import { sealFor } from "../shared/sealed.ts";
import { wakeAllNumbers } from "../telephony/number_jobs.ts";
import { credential } from "./credential.ts";
import { openedValues, storedFor } from "./open_credentials.ts";
import { categories, fieldTypes, forms, type Service, type ServiceField, services } from "./services.ts";

type Credential = Row<typeof credential>;

const row = z.strictObject({
  service: z.string(),
  name: z.string(),
  category: z.enum(categories),
  is_connected: z.boolean(),
  connected: z.boolean().describe("The same as `is_connected`."),
  fields: z
    .array(
      z.strictObject({
        name: z.string(),
        label: z.string(),
        type: z.enum(fieldTypes),
        secret: z.boolean(),
        required: z.boolean(),
      }),
    )
    .describe("The fields that the service needs."),
  values: z.record(z.string(), z.unknown()).describe("The stored values. A secret shows at most its last characters."),
  last_verified_at: z.iso.datetime().nullable(),
  last_error: z.string().nullable(),
  date_updated: z.iso.datetime().nullable(),
  updated_by: z.string().nullable(),
  sync: shownSync.nullable().describe("The reading of the service's lists; null for a service without, or before the first."),
});

export const listCredentials = operation({
  name: "credentials.list",
  method: "GET",
  path: "/credentials/",
  doc: "Lists all services, with the organization's stored credentials.",
  permission: "manage_organization",
  mcp: false,
  input: pageInput,
  output: pageOf(row),
  async run(ctx, input) {
    const stored = new Map((await findRecords(ctx, credential, [])).map((one) => [one.service, one]));
    const syncs = await syncsOf(ctx);
    return page(
      services.map((one) => shown(one, stored.get(one.service) ?? null, syncs.get(one.service))),
      input,
    );
  },
});

const writing = operation({
  name: "credentials.update",
  method: "PUT",
  path: "/credentials/{service}/",
  doc: "Stores what a service knows the organization by: the service's fields, or the same under `values`.",
  permission: "manage_organization",
  mcp: false,
  outlasts: true,
  input: {
    service: z.string(),
    values: z.record(z.string(), z.unknown()).optional().describe("The service's fields, as an object."),
    credentials: z.record(z.string(), z.unknown()).optional().describe("The same as `values`."),
  },
  output: row,
  run: async () => {},
});

/** The fields of a body are those of the service in the path. */
export const updateCredentials: Operation<{ service: Service; given: Record<string, unknown> }> = {
  ...writing,
  parse(ctx, given) {
    const service = serviceNamed(given.params.service!);
    const names = service.fields.map((field) => field.name);
    const { input } = writing.parse(ctx, { ...given, body: pick(given.body, ["values", "credentials"]), strict: false });
    const nested = (input as { values?: object; credentials?: object }).values ?? (input as { credentials?: object }).credentials;
    const ignored = reportUnknown(unknownWithin(bodyOf(names), given.body), given.strict);
    return { input: { service, given: { ...pick(given.body, names), ...pick({ ...nested }, names) } }, ignored };
  },
  async run(ctx, { service, given }) {
    await lockServices(ctx);
    const before = await storedFor(ctx, service.service);
    const present = openedValues(ctx, before);
    const changes = readValues(ctx, service, given, before);
    refuseElsewhere(service, present, changes);
    const values = { ...present, ...changes };
    for (const [key, value] of Object.entries(values)) if (value === null) delete values[key];
    refuseMissing(service, values);
    // Storing the same credentials again means that they should be tried again.
    if (service.category === "telephony") wakeAllNumbers(ctx);
    if (isSynced(service.service)) wake(ctx, listSyncJobs, [service.service]);
    const stored = before !== null && same(values, present) ? before : save(ctx, service, before, values);
    return shown(service, stored, (await syncsOf(ctx)).get(service.service));
  },
};

/** The fields of a service by their paths. Members that reads show beside them are accepted too. */
function bodyOf(names: readonly string[]): z.ZodObject {
  const fields = Object.fromEntries(names.map((name) => [name, z.unknown()]));
  return z.object({ ...row.shape, ...fields, values: z.object(fields), credentials: z.object(fields) });
}

export const deleteCredentials = operation({
  name: "credentials.delete",
  method: "DELETE",
  path: "/credentials/{service}/",
  doc: "Deletes the organization's credentials for a service.",
  permission: "manage_organization",
  mcp: false,
  input: { service: z.string() },
  output: z.strictObject({}),
  async run(ctx, { service }) {
    await lockServices(ctx);
    const before = await storedFor(ctx, serviceNamed(service).service);
    if (before === null) throw notFound();
    await store.remove(ctx, credential, [before]);
    return new JsonText("{}");
  },
});

export const syncLists = operation({
  name: "credentials.sync",
  method: "POST",
  path: "/credentials/{service}/sync/",
  doc: "Reads the lists of a mailing platform now, so that contacts know which of them they are on. It happens every six hours.",
  permission: "manage_organization",
  mcp: false,
  input: { service: z.string() },
  output: row,
  async run(ctx, { service: named }) {
    const service = serviceNamed(named);
    const stored = await storedFor(ctx, service.service);
    if (stored === null) throw notFound();
    if (!isSynced(service.service)) throw invalid({}, `${service.name} has no lists that are read.`);
    wake(ctx, listSyncJobs, [service.service]);
    return shown(service, stored, (await syncsOf(ctx)).get(service.service));
  },
});

function shown(service: Service, stored: Credential | null, sync: ShownSync | null = null): z.output<typeof row> {
  const is_connected = stored !== null;
  return {
    service: service.service,
    name: service.name,
    category: service.category,
    is_connected,
    connected: is_connected,
    fields: [...service.fields],
    values: stored?.shown_values ?? {},
    last_verified_at: stored?.last_verified_at ?? null,
    last_error: stored?.last_error ?? null,
    date_updated: stored?.date_updated ?? null,
    updated_by: stored?.updated_by ?? null,
    sync: is_connected ? sync : null,
  };
}

function serviceNamed(id: string): Service {
  const found = services.find((one) => one.service === id);
  if (found === undefined) throw notFound();
  return found;
}

const pick = (from: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]));

// A service has one row. Concurrent writers wait for each other.
async function lockServices(ctx: Ctx): Promise<void> {
  const key = `credentials ${ctx.organization_id}`;
  await query(ctx, statement(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`));
}

// --- values ---

/** The given values, checked, with null for those to be removed. The shown part of a secret, sent back, leaves it unchanged. */
function readValues(
  ctx: Ctx,
  service: Service,
  given: Record<string, unknown>,
  before: Credential | null,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const errors: FieldErrors = {};
  for (const field of service.fields) {
    const value = given[field.name];
    if (value === undefined) continue;
    if (field.secret && typeof value === "string" && value !== "" && value === before?.shown_values[field.name]) continue;
    if (value === null || value === "") values[field.name] = null;
    else collect(errors, () => below(field.name, () => (values[field.name] = readValue(ctx, field, value))));
  }
  refuse(errors);
  return values;
}

function readValue(ctx: Ctx, field: ServiceField, value: unknown): unknown {
  if (field.type === "boolean") return typeof value === "boolean" ? value : bad("must be true or false");
  if (field.type === "integer") {
    const isPort = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 65535;
    return isPort ? value : bad("must be a whole number from 1 to 65535");
  }
  if (typeof value !== "string") return bad("must be text");
  const text = value.trim();
  checkText(ctx, field, text);
  return text;
}

function checkText(ctx: Ctx, { name, type }: ServiceField, text: string): void {
  if (text === "") bad("must not be empty");
  if (text.length > 10_000) bad("must be 10000 characters or fewer");
  // These values are parts of a mail header or command, which such characters would end.
  if (/\p{Cc}/u.test(text)) bad("must be one line, without control characters");
  const form = forms.get(name);
  if (form !== undefined && !form.test(text)) bad(form.words);
  if (type === "url" && (parseUrl(text) === null || /[?#]/.test(text)))
    bad("must be an address that begins with https:// or http://, without ? and #");
  const { addresses } = ctx.settings;
  if (type === "url" && !addresses.allowsHost(text)) bad(addresses.words);
  const isHidden = name === "host" && !addresses.allowsHost(`http://${hostInUrl(parseHost(text)!)}/`);
  if (isHidden) bad("must be a public address");
}

function refuseMissing(service: Service, values: Record<string, unknown>): void {
  const missing = service.fields.filter((field) => field.required && values[field.name] === undefined);
  if (missing.length > 0) throw invalid(Object.fromEntries(missing.map((field) => [field.name, "is required"])));
}

/** Where secrets are sent. */
const destinations: readonly string[] = ["host", "base_url"];

/** Otherwise an admin could learn a service's secrets by pointing it elsewhere. For another address they must be given again. */
function refuseElsewhere(service: Service, present: Record<string, unknown>, changes: Record<string, unknown>): void {
  const moves = (name: string) => changes[name] !== undefined && changes[name] !== (present[name] ?? null);
  const place = destinations.find(moves);
  if (place === undefined) return;
  const kept = service.fields.filter(({ name, secret }) => secret && present[name] !== undefined && changes[name] === undefined);
  if (kept.length > 0)
    throw invalid(Object.fromEntries(kept.map(({ name }) => [name, `must be given again for another ${place}`])));
}

// --- storage ---

function save(ctx: Ctx, service: Service, before: Credential | null, values: Record<string, unknown>): Credential {
  const id = before?.id ?? newId(credential.prefix, ctx.now.getTime());
  const stored: Values<typeof credential> = {
    shown_values: Object.fromEntries(
      service.fields.filter(({ name }) => name in values).map((field) => [field.name, masked(field, values[field.name])]),
    ),
    sealed_values: sealFor(ctx, credential, id, "sealed_values", JSON.stringify(values)),
    last_error: null,
    last_verified_at: null,
  };
  return before === null
    ? store.insert(ctx, credential, {
        ...stored,
        id,
        service: service.service,
        webhook_token: randomBytes(32).toString("base64url"),
      })
    : store.update(ctx, credential, before, stored);
}

/** The last four characters identify a long secret. For a short one they would reveal too much. */
function masked({ secret }: ServiceField, value: unknown): unknown {
  if (!secret) return value;
  return `••••${(value as string).length >= 12 ? (value as string).slice(-4) : ""}`;
}
