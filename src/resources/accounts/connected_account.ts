// A connected account: a member's mailbox or calendar at another provider. Mail is sent and received through it.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import {
  boolean,
  choice,
  computed,
  formed,
  input,
  integer,
  json,
  naming,
  ref,
  text,
  texts,
  timestamp,
} from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { mailPorts } from "../../services/public_address.ts";
import { emailKey, parseEmail } from "../../values/email.ts";
import { hostInUrl, parseHost } from "../../values/host.ts";
import { cleanSignature } from "../../values/mail_html.ts";
import { oneLine } from "../../values/one_line.ts";
import { idsOfCaller } from "../tasks/assignee.ts";

export const accountTypes = ["google", "microsoft", "custom_email", "zoom", "calendly"] as const;
export type AccountType = (typeof accountTypes)[number];

export const features = ["email_sending", "email_syncing", "calendar_syncing"] as const;
const states = ["ok", "error", "disabled"] as const;
const sendStates = ["untested", ...states] as const;

/** The address of a mailbox. The password is only in requests, and is stored sealed in another column. */
export interface MailServer {
  host: string;
  port: number;
  username: string | null;
  use_ssl: boolean;
  password?: string | null;
}

/** One of the calendars of an account. */
export interface AccountCalendar {
  id: string;
  name: string;
  is_primary: boolean;
}

const shownCalendar = z.object({ id: z.string(), name: z.string(), is_primary: z.boolean() });

const alias = () => input(z.enum(accountTypes), { createOnly: true, later: ({ _type }) => _type, doc: "The same as `_type`." });

export const connectedAccount = resource({
  name: "connected_account",
  prefix: "emailacct",
  doc: "A member's mailbox or calendar elsewhere, which mail leaves through and arrives by.",
  event: null,
  mcp: false,
  visible: ownOrLent,
  owned: { by: "user_id", own: "member", others: "manage_organization" },
  indexed: ["user_id"],
  sort: { email: true },
  fields: {
    _type: choice(accountTypes, { createOnly: true, default: "custom_email", doc: "Who provides it." }),
    provider: alias(),
    type: alias(),
    email: formed((raw) => parseEmail(raw), "must be an e-mail address", {
      doc: "Its address; a member has each address once. Mailboxes need one.",
    }),
    user_id: ref(
      "user",
      { onDelete: "keep", onMove: "keep" },
      { filled: true, createOnly: true, doc: "Whose it is; the caller's unless an admin says otherwise." },
    ),
    identities: json(z.array(identity()).max(50), {
      default: [] as z.output<ReturnType<typeof identity>>[],
      doc: "The names and addresses it sends under, the usual one first; by default its address and the member's name. Another address is one that the member may send as already, or an admin sets it.",
    }),
    default_identity: computed(
      ["identities"],
      z.object({ email: z.string(), name: z.string().nullable() }).nullable(),
      (identities: z.output<ReturnType<typeof identity>>[]) => identities[0] ?? null,
      "The first of `identities`.",
    ),
    imap: mailServer(
      { ssl: 993, plain: 143 },
      "Where mail is fetched. The password is never shown; left out, it stays as it is.",
    ),
    smtp: mailServer({ ssl: 465, plain: 587 }, "Where mail is sent. The password is never shown; left out, it stays as it is."),
    enabled_features: texts({
      default: [] as string[],
      each: z.enum(features),
      doc: "What it is used for; all it can do by default.",
    }),
    available_features: computed(["_type"], z.array(z.string()), availableFeatures, "What an account of this type can do."),
    send_status: choice(sendStates, {
      readOnly: true,
      filled: true,
      doc: "`untested` until the first mail has left by it, `disabled` where nothing can be sent by it.",
    }),
    receive_status: choice(states, { readOnly: true, filled: true, doc: "`disabled` where nothing is fetched by it." }),
    latest_smtp_error: text({ readOnly: true, max: 1000, doc: "Why sending failed last." }),
    latest_imap_error: text({ readOnly: true, max: 1000, doc: "Why fetching failed last." }),
    last_synced_at: timestamp({ readOnly: true, doc: "When its mail was fetched last." }),
    calendar_status: choice(states, { readOnly: true, filled: true, doc: "`disabled` where no calendar is followed by it." }),
    latest_calendar_error: text({ readOnly: true, max: 1000, doc: "Why following a calendar failed last." }),
    synced_calendars: json(z.array(calendar()).max(100), {
      default: [] as AccountCalendar[],
      output: z.array(shownCalendar),
      doc: "Those of `available_calendars` whose meetings come in, by their `id`; its main one where nobody chose.",
    }),
    available_calendars: json(z.array(shownCalendar), {
      readOnly: true,
      default: [] as AccountCalendar[],
      doc: "The calendars that it has. They are listed when it is connected, and once a day.",
    }),
    is_default: boolean({ default: false, doc: "Taken where no account is named. A member's first account is." }),
    signature: text({ max: 100_000, normalize: cleanSignature, doc: "Put below what is sent by it; text or HTML." }),
    daily_cap: integer({
      min: 1,
      max: 100_000,
      doc: "How many e-mails leave by it on a day of its owner; what is over waits for the next day. Where nothing is said, what its provider lets through.",
    }),
    ramp_up: boolean({
      default: false,
      doc: "For a new mailbox, which providers trust little: of what sequences, bulk work and automations send, 20 e-mails leave by it on its first day, and a tenth more on each day after that, up to its cap.",
    }),
    ramp_up_since: timestamp({ readOnly: true, doc: "Since when it ramps up." }),
    email_is_proven: computed(
      ["email", "proven_email"],
      z.boolean(),
      (email: string | null, proven: string | null) => proven !== null && proven === emailKey(email ?? ""),
      "Its owner has logged in to the mailbox of this address. From then on nobody else can connect it.",
    ),
    shared_with: texts({
      default: [] as string[],
      max: 200,
      names: naming("user", "group"),
      doc: "Members and groups who share it: they send by it as its owner does, and see the prospects who write to it.",
    }),
    proven_email: text({ readOnly: true, hidden: true }),
    allowed_identities: texts({ readOnly: true, hidden: true, default: [] as string[] }),
    send_failures: integer({ readOnly: true, hidden: true, default: 0 }),
    send_again_at: timestamp({ readOnly: true, hidden: true }),
    granted_features: texts({ readOnly: true, hidden: true, nullable: true, default: null }),
    sealed_imap_password: text({ readOnly: true, hidden: true }),
    sealed_smtp_password: text({ readOnly: true, hidden: true }),
  },
});

/** Mail should be fetched from it. */
export const fetchesMail = ({ receive_status }: { receive_status: string }): boolean => receive_status !== "disabled";

export const isMailbox = (type: AccountType): boolean => type === "google" || type === "microsoft" || type === "custom_email";

export function availableFeatures(type: AccountType): string[] {
  if (type === "custom_email") return ["email_sending", "email_syncing"];
  return isMailbox(type) ? [...features] : ["calendar_syncing"];
}

/**
 * Members see their own accounts, those shared with them, and those of members who let them send in their name. Members who
 * manage the organization see all.
 */
function ownOrLent(ctx: Ctx, alias: string): Sql | null {
  if (may(ctx, "manage_organization")) return null;
  const t = name(alias);
  return sql`(${t}.user_id = ${ctx.actor.user_id} or ${t}.shared_with && ${idsOfCaller(ctx)}::text[] or exists (select from send_as s
    where s.organization_id = ${ctx.organization_id} and s.allowing_user_id = ${t}.user_id and s.allowed_user_id = ${ctx.actor.user_id}))`;
}

/** A calendar in a request: only its id counts, and the rest may be what was read. */
function calendar() {
  const id = z.string().max(1024);
  return z.object({
    id,
    name: z.string().optional(),
    is_primary: z.boolean().optional(),
  }) as unknown as z.ZodType<AccountCalendar>;
}

function identity() {
  const email = z.string().transform((raw, check) => {
    const value = parseEmail(raw);
    if (value === null) check.addIssue({ code: "custom", message: "is not an e-mail address" });
    return value as string;
  });
  return z.object({
    email,
    name: z
      .string()
      .max(255)
      .transform((raw) => oneLine(raw))
      .nullable()
      .default(null),
  });
}

function mailServer(ports: { ssl: number; plain: number }, doc: string) {
  // These values are parts of commands to the server, which a line break would end.
  const line = (max: number) =>
    z
      .string()
      .max(max)
      .regex(/^\P{Cc}*$/u, { error: "must be one line, without control characters" });
  const host = z.string().transform((raw, check) => {
    const value = parseHost(raw);
    if (value === null) check.addIssue({ code: "custom", message: "must be the name of a host, such as mail.example.com" });
    return value as string;
  });
  const schema = z.object({
    host,
    port: z.int().min(1).max(65535).optional(),
    username: line(255).nullable().default(null),
    use_ssl: z.boolean().default(true),
    password: line(1024).min(1).nullable().optional(),
  });
  return json(schema as unknown as z.ZodType<MailServer>, {
    doc,
    output: z.object({ host: z.string(), port: z.int(), username: z.string().nullable(), use_ssl: z.boolean() }),
    normalize(given: z.output<typeof schema>, ctx: Ctx): MailServer {
      const port = given.port ?? (given.use_ssl ? ports.ssl : ports.plain);
      const addresses = ctx.settings.addresses.alsoAt(mailPorts);
      const isAllowed = (at: number) => addresses.allowsHost(`http://${hostInUrl(given.host)}:${at}/`);
      if (!isAllowed(mailPorts[0]!)) throw invalid({ host: "must be a public address" });
      if (!isAllowed(port)) throw invalid({ port: `must be a port of mail: ${mailPorts.join(", ")}` });
      return { ...given, port };
    },
  });
}
