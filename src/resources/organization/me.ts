// The person behind the key: their profile and memberships.
import { z } from "zod";
import { activeMembershipsOf, organizationsThatKnow } from "../../auth/unscoped.ts";
import { type Ctx, read, write } from "../../core/context.ts";
import { conflict, invalid } from "../../core/errors.ts";
import { JsonText, operation, unchanged } from "../../core/operation.ts";
import { permissionsOf } from "../../core/permissions.ts";
import { join, sql, name as sqlName, statement } from "../../db/sql.ts";
import { announceChange } from "../../records/change.ts";
import { readFieldNames } from "../../records/list_input.ts";
import { findRecords } from "../../records/records.ts";
import { cleanSignature } from "../../values/mail_html.ts";
import { phoneFormatted } from "../../values/phone.ts";
import { isTimeZone, pgTimestamp } from "../../values/time.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import { numbersOf } from "../telephony/own_numbers.ts";
import { readSettings, settingsInput, settingsOutput, withSettings } from "./notification_settings.ts";

const output = z.strictObject({
  id: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  full_name: z.string().describe("First and last name, or else the e-mail address."),
  display_name: z.string().describe("The same as `full_name`."),
  signature: z.string().nullable().describe("The signature below messages; text or HTML."),
  image: z.string().nullable(),
  timezone: z.string().nullable(),
  last_used_timezone: z.string().nullable(),
  notification_settings: settingsOutput,
  organization_id: z.string().describe("The organization of the key."),
  role_id: z.string().describe("The role in the organization of the key."),
  organizations: z
    .array(z.strictObject({ id: z.string(), name: z.string() }))
    .describe("The memberships of the person, the key's organization first."),
  memberships: z.array(
    z.strictObject({
      id: z.string(),
      user_id: z.string(),
      organization_id: z.string(),
      role_id: z.string(),
      role_name: z.string(),
      permissions_granted: z.array(z.string()),
      auto_record_calls: z.string(),
      track_email_opens: z.boolean(),
    }),
  ),
  email_accounts: z.array(z.looseObject({ id: z.string() })).describe("The person's own connected accounts."),
  phone_numbers: z.array(z.looseObject({ id: z.string() })).describe("The person's own phone numbers."),
  date_created: z.iso.datetime(),
  date_updated: z.iso.datetime(),
});

export const getMe = operation({
  name: "me.get",
  method: "GET",
  path: "/me/",
  doc: "Returns the user the key belongs to.",
  permission: "member",
  mcp: false,
  otherwise: { 304: unchanged },
  input: { _fields: z.string().optional().describe("Only these fields, separated by commas.") },
  output,
  async run(ctx, { _fields }) {
    const person = await readPerson(ctx);
    const wanted = readFieldNames(_fields);
    const members = Object.entries(await shownMe(ctx, person)).filter(([key]) => wanted === null || wanted.includes(key));
    return new JsonText(JSON.stringify(Object.fromEntries(members)), Number(person.version));
  },
});

const part = z.string().max(255).nullish();
const zone = z.string().refine(isTimeZone, { error: "must be a time zone such as Europe/Berlin" }).nullish();

export const updateMe = operation({
  name: "me.update",
  method: "PUT",
  path: "/me/",
  doc: "Changes the caller's own name, signature, time zone, and mail notifications.",
  permission: "member",
  pastDue: true,
  mcp: false,
  input: {
    first_name: part,
    last_name: part,
    name: part.describe("The full name, instead of `first_name` and `last_name`."),
    signature: z.string().max(100_000, { error: "must be 100000 characters or fewer" }).nullish(),
    timezone: zone,
    last_used_timezone: zone,
    notification_settings: settingsInput.optional().describe("Settings that are not sent stay as they are."),
  },
  readOnly: Object.keys(output.shape),
  output,
  async run(ctx, { name, signature, notification_settings, ...given }) {
    const before = await readPerson(ctx, true);
    if (ctx.request.ifMatch?.includes(Number(before.version)) === false) throw conflict(412);

    const values: Partial<Person> = { ...given, ...parts(name, given) };
    if (signature !== undefined) values.signature = signature === null || signature === "" ? null : cleanSignature(signature);
    if (notification_settings !== undefined)
      values.notification_settings = withSettings(before.notification_settings!, notification_settings);
    for (const key of ["first_name", "last_name"] as const) if (values[key] === null) values[key] = "";
    await savePerson(ctx, before, values);
    return shownMe(ctx, await readPerson(ctx));
  },
});

const columns = [
  "id",
  "email",
  "first_name",
  "last_name",
  "signature",
  "image",
  "timezone",
  "last_used_timezone",
  "notification_settings",
  "date_created",
  "date_updated",
  "version",
] as const;
type Person = Record<(typeof columns)[number], string | null>;

async function readPerson(ctx: Ctx, locked = false): Promise<Person> {
  const list = join(
    columns.map((column) => sqlName(column)),
    ", ",
  );
  const [row] = await read(
    ctx,
    statement(
      sql`select ${list} from "user" where id = ${ctx.actor.user_id} ${locked ? sql`for no key update` : sql``}`,
      `me.${locked ? "lock" : "get"}`,
    ),
  );
  return Object.fromEntries(columns.map((column, i) => [column, row![i]!])) as Person;
}

/** The name is shown wherever the person is a member. */
async function savePerson(ctx: Ctx, before: Person, values: Partial<Person>): Promise<void> {
  const changed = Object.entries(values).filter(([key, value]) => value !== undefined && value !== before[key as keyof Person]);
  if (changed.length === 0) return;
  const set = join(
    changed.map(([key, value]) => sql`${sqlName(key)} = ${value}`),
    ", ",
  );
  write(
    ctx,
    statement(sql`update "user" set ${set}, date_updated = ${ctx.now}, version = version + 1 where id = ${ctx.actor.user_id}`),
  );
  announceChange(ctx, await organizationsThatKnow(ctx, ctx.actor.user_id));
}

/** `name` is split at its first space. */
function parts(name: string | null | undefined, given: Partial<Person>): Partial<Person> {
  if (name === undefined) return {};
  if (given.first_name !== undefined || given.last_name !== undefined)
    throw invalid({ name: "cannot be given together with first_name and last_name" });
  const [first_name = "", ...rest] = (name ?? "").trim().split(/\s+/);
  return { first_name, last_name: rest.join(" ") };
}

async function shownMe(ctx: Ctx, person: Person): Promise<z.output<typeof output>> {
  const memberships = await activeMembershipsOf(ctx, person.id!);
  memberships.sort(
    (a, b) => Number(b.organization_id === ctx.organization_id) - Number(a.organization_id === ctx.organization_id),
  );
  const full_name = `${person.first_name} ${person.last_name}`.trim() || person.email!;
  const { version: _, ...shown } = person as Person & { id: string; email: string; first_name: string; last_name: string };
  return {
    ...shown,
    notification_settings: readSettings(person.notification_settings!),
    full_name,
    display_name: full_name,
    organization_id: ctx.organization_id,
    role_id: ctx.actor.role_id,
    organizations: memberships.map((one) => ({ id: one.organization_id, name: one.organization_name })),
    memberships: memberships.map(
      ({ id, organization_id, role_id, role_name, role_permissions, auto_record_calls, track_email_opens }) => ({
        id,
        user_id: person.id!,
        organization_id,
        role_id,
        role_name,
        permissions_granted: [...permissionsOf(role_id, role_permissions)],
        auto_record_calls,
        track_email_opens,
      }),
    ),
    email_accounts: await emailAccountsOf(ctx),
    phone_numbers: phoneNumbersOf(ctx),
    date_created: pgTimestamp(person.date_created!),
    date_updated: pgTimestamp(person.date_updated!),
  };
}

async function emailAccountsOf(ctx: Ctx): Promise<{ id: string }[]> {
  const own = await findRecords(ctx, connectedAccount, [sql`t.user_id = ${ctx.actor.user_id}`], sql`order by t.id`);
  return own.map(({ id, _type, email, identities, is_default, send_status, receive_status }) => ({
    id,
    _type,
    email,
    identities,
    is_default,
    send_status,
    receive_status,
  }));
}

function phoneNumbersOf(ctx: Ctx): { id: string }[] {
  return numbersOf(ctx, ctx.actor.user_id).map(({ id, number, label, type, status, country, sms_enabled, mms_enabled }) => ({
    id,
    number,
    number_formatted: phoneFormatted(number),
    label,
    type,
    status,
    country,
    sms_enabled,
    mms_enabled,
  }));
}
