// The OAuth providers for members' accounts, Google and Microsoft: their addresses, the operator's application there, and the
// scopes.

export const oauthTypes = ["google", "microsoft"] as const;
export type OauthType = (typeof oauthTypes)[number];

/** What a token is used for. Microsoft issues one token for mail and another for calendars. */
export type Purpose = "mail" | "calendar";

/** The operator's application at a provider. */
export interface OauthApplication {
  client_id: string;
  client_secret: string;
  /** Microsoft only: whose members may connect. `common` allows everybody. */
  tenant: string;
}

/** A mail server. Without `use_ssl`, TLS is used where the server offers it. */
export interface MailPlace {
  host: string;
  port: number;
  use_ssl: boolean;
}

export interface OauthProvider {
  type: OauthType;
  /** The name that people know. */
  name: string;
  /** The operator's application. Null when there is none. */
  application: OauthApplication | null;
  /** The page where a person gives consent. */
  authorizeUrl(application: OauthApplication): string;
  tokenUrl(application: OauthApplication): string;
  /** Where a refresh token is revoked. Null when the provider has no such endpoint. */
  revokeUrl: string | null;
  /** The endpoint that says whose account a token belongs to. */
  whoUrl: string;
  /** The API of its calendars. */
  calendarUrl: string;
  /** Extra parameters of the authorization request. */
  extras: Readonly<Record<string, string>>;
  /** All scopes that a person is asked to allow. */
  scopes: readonly string[];
  /** The scope that each feature needs. */
  features: Readonly<Record<string, string>>;
  /** The scopes to request for a token of each purpose. Null when every token is good for everything. */
  scopesFor: Readonly<Record<Purpose, readonly string[]>> | null;
  imap: MailPlace;
  smtp: MailPlace;
}

export type OauthProviders = Readonly<Record<OauthType, OauthProvider>>;

/** The operator's settings for a provider. */
export interface ProviderSettings {
  application: OauthApplication | null;
  /** Replaces all addresses of the provider. */
  base_url: string | null;
  imap: MailPlace;
  smtp: MailPlace;
}

export const openProviders = (settings: Readonly<Record<OauthType, ProviderSettings>>): OauthProviders => ({
  google: google(settings.google),
  microsoft: microsoft(settings.microsoft),
});

const googleMail = "https://mail.google.com/";
const googleCalendar = "https://www.googleapis.com/auth/calendar.readonly";

function google({ base_url, ...settings }: ProviderSettings): OauthProvider {
  const at = (host: string) => base_url ?? `https://${host}`;
  return {
    ...settings,
    type: "google",
    name: "Google",
    authorizeUrl: () => `${at("accounts.google.com")}/o/oauth2/v2/auth`,
    tokenUrl: () => `${at("oauth2.googleapis.com")}/token`,
    revokeUrl: `${at("oauth2.googleapis.com")}/revoke`,
    whoUrl: `${at("www.googleapis.com")}/oauth2/v3/userinfo`,
    calendarUrl: `${at("www.googleapis.com")}/calendar/v3`,
    // Google issues a refresh token only for offline access, and issues another only after a new consent.
    extras: { access_type: "offline", prompt: "consent" },
    scopes: ["openid", "email", "profile", googleMail, googleCalendar],
    features: { email_sending: googleMail, email_syncing: googleMail, calendar_syncing: googleCalendar },
    scopesFor: null,
  };
}

const outlook = (scope: string) => `https://outlook.office.com/${scope}`;
const mailScopes = [outlook("IMAP.AccessAsUser.All"), outlook("SMTP.Send")];
const calendarScopes = ["User.Read", "Calendars.Read"];

function microsoft({ base_url, ...settings }: ProviderSettings): OauthProvider {
  const login = ({ tenant }: OauthApplication) => `${base_url ?? "https://login.microsoftonline.com"}/${tenant}/oauth2/v2.0`;
  const graph = `${base_url ?? "https://graph.microsoft.com"}/v1.0`;
  return {
    ...settings,
    type: "microsoft",
    name: "Microsoft",
    authorizeUrl: (application) => `${login(application)}/authorize`,
    tokenUrl: (application) => `${login(application)}/token`,
    revokeUrl: null,
    whoUrl: `${graph}/me?$select=id,mail,userPrincipalName,displayName`,
    calendarUrl: `${graph}/me`,
    // A person with several accounts chooses one.
    extras: { prompt: "select_account", response_mode: "query" },
    scopes: ["offline_access", "openid", "email", "profile", ...mailScopes, ...calendarScopes],
    // Microsoft grants all scopes together, and a token names only the scopes of its own purpose.
    features: { email_sending: "", email_syncing: "", calendar_syncing: "" },
    scopesFor: { mail: ["offline_access", ...mailScopes], calendar: ["offline_access", ...calendarScopes] },
  };
}
