// The services that an organization can store credentials for, and the fields of each.
import { parseEmail } from "../../values/email.ts";
import { parseHost } from "../../values/host.ts";

export const categories = ["email", "telephony", "enrichment", "mailing", "ai", "calendar", "storage"] as const;
export type Category = (typeof categories)[number];

export const fieldTypes = ["text", "integer", "url", "boolean"] as const;

export interface ServiceField {
  name: string;
  label: string;
  type: (typeof fieldTypes)[number];
  /** Stored sealed, and never shown. */
  secret: boolean;
  required: boolean;
}

export interface Service {
  service: string;
  name: string;
  category: Category;
  fields: readonly ServiceField[];
}

const plain = (name: string, label: string, required = true): ServiceField => ({
  name,
  label,
  type: "text",
  secret: false,
  required,
});
const secret = (name: string, label: string, required = true): ServiceField => ({
  ...plain(name, label, required),
  secret: true,
});
const address = (name: string, label: string): ServiceField => ({ ...plain(name, label, false), type: "url" });

interface Form {
  test(value: string): boolean;
  /** What a valid value is, for error messages. */
  words: string;
}

const id: Form = { test: (value) => /^(?!\.+$)[\w.-]{1,255}$/.test(value), words: "must be letters, digits, dots, - and _" };
const region: Form = { test: (value) => /^(us|eu)$/.test(value), words: "must be us or eu" };
const host: Form = { test: (value) => parseHost(value) !== null, words: "must be the name of a host, such as mail.example.com" };

/** The form of plain fields. Most become a part of a URL, where another form could lead to another host. */
export const forms: ReadonlyMap<string, Form> = new Map([
  ["account_sid", id],
  ["client_id", id],
  ["domain", host],
  ["from_email", { test: (value: string) => parseEmail(value) !== null, words: "must be an e-mail address" }],
  ["host", host],
  ["messaging_service_sid", id],
  ["region", region],
  [
    "server_prefix",
    { test: (value: string) => /^[a-z]{2,4}\d{1,3}$/.test(value), words: "must be letters and a number, such as us21" },
  ],
  ["site_id", id],
  ["tenant_id", id],
]);

const apiKey = secret("api_key", "API key");
const application = [plain("client_id", "Client id"), secret("client_secret", "Client secret")];

const service = (key: string, name: string, category: Category, ...fields: ServiceField[]): Service => ({
  service: key,
  name,
  category,
  fields,
});

export const services: readonly Service[] = [
  service(
    "twilio",
    "Twilio",
    "telephony",
    plain("account_sid", "Account SID"),
    secret("auth_token", "Auth token"),
    plain("messaging_service_sid", "Messaging service SID", false),
    plain("api_key_sid", "API key SID, for calls from browsers", false),
    secret("api_key_secret", "API key secret", false),
    plain("application_sid", "TwiML app SID, for calls from browsers", false),
    address("base_url", "Base URL"),
  ),
  service(
    "smtp",
    "SMTP server",
    "email",
    plain("host", "Host"),
    { name: "port", label: "Port", type: "integer", secret: false, required: true },
    plain("username", "User name", false),
    secret("password", "Password", false),
    { name: "use_ssl", label: "Use TLS", type: "boolean", secret: false, required: false },
    plain("from_email", "Sender's address", false),
  ),
  service("sendgrid", "SendGrid", "email", apiKey, address("base_url", "Base URL")),
  service("mailgun", "Mailgun", "email", apiKey, plain("domain", "Domain"), plain("region", "Region", false)),
  service("peopledatalabs", "People Data Labs", "enrichment", apiKey, address("base_url", "Base URL")),
  service(
    "mailchimp",
    "Mailchimp",
    "mailing",
    apiKey,
    plain("server_prefix", "Server prefix", false),
    address("base_url", "Base URL"),
  ),
  service(
    "customerio",
    "Customer.io",
    "mailing",
    plain("site_id", "Site id"),
    apiKey,
    plain("region", "Region", false),
    address("base_url", "Base URL"),
  ),
  service("klaviyo", "Klaviyo", "mailing", apiKey, address("base_url", "Base URL")),
  service("brevo", "Brevo", "mailing", apiKey, address("base_url", "Base URL")),
  service("anthropic", "Anthropic", "ai", apiKey, plain("model", "Model", false), address("base_url", "Base URL")),
  service("openai", "OpenAI", "ai", apiKey, plain("model", "Model", false), address("base_url", "Base URL")),
  service("gemini", "Google Gemini", "ai", apiKey, plain("model", "Model", false), address("base_url", "Base URL")),
  service("google", "Google", "calendar", ...application),
  service("microsoft", "Microsoft", "calendar", ...application, plain("tenant_id", "Tenant id", false)),
];
