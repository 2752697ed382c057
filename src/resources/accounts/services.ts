// The services an organization can be known to, and what each asks for.

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
  name,
  label,
  type: "text",
  secret: true,
  required,
});
const address = (name: string, label: string): ServiceField => ({ name, label, type: "url", secret: false, required: false });

const apiKey = secret("api_key", "API key");
const application = [plain("client_id", "Client id"), secret("client_secret", "Client secret")];

const service = (id: string, name: string, category: Category, ...fields: ServiceField[]): Service => ({
  service: id,
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
  service("sendgrid", "SendGrid", "email", apiKey),
  service("mailgun", "Mailgun", "email", apiKey, plain("domain", "Domain"), plain("region", "Region", false)),
  service("apollo", "Apollo", "enrichment", apiKey),
  service("clearbit", "Clearbit", "enrichment", apiKey),
  service("hunter", "Hunter", "enrichment", apiKey),
  service("mailchimp", "Mailchimp", "mailing", apiKey, plain("server_prefix", "Server prefix", false)),
  service("customerio", "Customer.io", "mailing", plain("site_id", "Site id"), apiKey, plain("region", "Region", false)),
  service("klaviyo", "Klaviyo", "mailing", apiKey),
  service("brevo", "Brevo", "mailing", apiKey),
  service("anthropic", "Anthropic", "ai", apiKey, plain("model", "Model", false), address("base_url", "Base URL")),
  service("openai", "OpenAI", "ai", apiKey, plain("model", "Model", false), address("base_url", "Base URL")),
  service("google", "Google", "calendar", ...application),
  service("microsoft", "Microsoft", "calendar", ...application, plain("tenant_id", "Tenant id", false)),
  service("zoom", "Zoom", "calendar", plain("account_id", "Account id", false), ...application),
  service("slack", "Slack", "email", secret("bot_token", "Bot token"), secret("signing_secret", "Signing secret", false)),
];
