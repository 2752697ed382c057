// A connected account: a member's mailbox or calendar at another provider. Mail is sent and received through it.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { boolean, choice, computed, formed, input, json, ref, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { parseEmail } from "../../values/email.ts";
import { hostInUrl, parseHost } from "../../values/host.ts";
import { fromHtml } from "../../values/rich_text.ts";

export const accountTypes = ["google", "microsoft", "custom_email", "zoom", "calendly"] as const;
export type AccountType = (typeof accountTypes)[number];

export const features = ["email_sending", "email_syncing", "calendar_syncing"] as const;
const states = ["ok", "error", "disabled"] as const;

/** Where a mailbox is reached. The password is only in what a caller sends: it is stored sealed and beside. */
export interface MailServer {
  host: string;
  port: number;
  username: string | null;
  use_ssl: boolean;
  password?: string | null;
}

const alias = () => input(z.enum(accountTypes), { createOnly: true, doc: "The same as `_type`." });

export const connectedAccount = resource({
  name: "connected_account",
  prefix: "emailacct",
  doc: "A member's mailbox or calendar elsewhere, which mail leaves through and arrives by.",
  event: null,
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
      doc: "The names and addresses it sends under, the usual one first; by default its address and the member's name.",
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
    send_status: choice(states, { readOnly: true, filled: true, doc: "`disabled` where nothing can be sent by it." }),
    receive_status: choice(states, { readOnly: true, filled: true, doc: "`disabled` where nothing is fetched by it." }),
    latest_smtp_error: text({ readOnly: true, max: 1000, doc: "Why sending failed last." }),
    latest_imap_error: text({ readOnly: true, max: 1000, doc: "Why fetching failed last." }),
    synced_calendars: json(z.array(z.looseObject({})), { readOnly: true, default: [] as object[] }),
    available_calendars: json(z.array(z.looseObject({})), { readOnly: true, default: [] as object[] }),
    is_default: boolean({ default: false, doc: "Taken where no account is named. A member's first account is." }),
    signature: text({ max: 100_000, normalize: harmless, doc: "Put below what is sent by it; text or HTML." }),
    sealed_imap_password: text({ readOnly: true, hidden: true }),
    sealed_smtp_password: text({ readOnly: true, hidden: true }),
  },
});

export const isMailbox = (type: AccountType): boolean => type === "google" || type === "microsoft" || type === "custom_email";

export function availableFeatures(type: AccountType): string[] {
  if (type === "custom_email") return ["email_sending", "email_syncing"];
  return isMailbox(type) ? [...features] : ["calendar_syncing"];
}

/** One's own, and those of members who let the caller send in their name; whoever manages the organization, all. */
function ownOrLent(ctx: Ctx, alias: string): Sql | null {
  if (may(ctx, "manage_organization")) return null;
  const t = name(alias);
  return sql`(${t}.user_id = ${ctx.actor.user_id} or exists (select from send_as s
    where s.organization_id = ${ctx.organization_id} and s.allowing_user_id = ${t}.user_id and s.allowed_user_id = ${ctx.actor.user_id}))`;
}

function identity() {
  const email = z.string().transform((raw, check) => {
    const value = parseEmail(raw);
    if (value === null) check.addIssue({ code: "custom", message: "is not an e-mail address" });
    return value as string;
  });
  return z.object({ email, name: z.string().max(255).nullable().default(null) });
}

function mailServer(ports: { ssl: number; plain: number }, doc: string) {
  // They stand in commands to the server, which a line break would end.
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
      if (!ctx.settings.addresses.allowsHost(`http://${hostInUrl(given.host)}/`))
        throw invalid({ host: "must be a public address" });
      return { ...given, port: given.port ?? (given.use_ssl ? ports.ssl : ports.plain) };
    },
  });
}

/** Plain text stays as it is; of HTML only what is harmless stays. */
function harmless(signature: string): string {
  return signature.includes("<") ? fromHtml(signature).html.slice("<body>".length, -"</body>".length) : signature;
}
