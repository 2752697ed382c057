// An OAuth application: other software that members may let act in their name.
import { z } from "zod";
import { choice, computed, formed, input, once, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { parseUrl } from "../../values/url.ts";

export const appScopes = ["all.full_access", "offline_access", "mcp.read", "mcp.write_safe", "mcp.write_destructive"] as const;

const webAddress = (doc: string) =>
  formed((raw) => parseUrl(raw), "must be an address that begins with https:// or http://", { doc });

export const oauthApp = resource({
  name: "oauth_app",
  prefix: "oa2client",
  doc: "Other software that members may let act in their name.",
  event: null,
  mcp: false,
  sort: { name: true },
  fields: {
    name: text({ required: true, doc: "What members are shown when they are asked." }),
    description: text({ max: 1000 }),
    website_url: webAddress("Where more is told about it."),
    logo_url: webAddress("Where its picture is."),
    redirect_uris: {
      ...texts({ required: true, doc: "Where members may be sent back to: https, or http on this machine." }),
      schema: z.array(redirect()).min(1).max(10),
    },
    client_id: computed(["id"], z.string(), (id: string) => id, "The same as `id`."),
    client_secret: once("What a confidential application proves itself by; null for a public one.", z.string().nullable()),
    client_secret_last4: text({ readOnly: true, doc: "The last four characters of the secret." }),
    client_type: choice(["confidential", "public"], {
      createOnly: true,
      default: "confidential",
      doc: "`public` for what cannot keep a secret, such as an application on a phone.",
    }),
    confidential: input(z.boolean(), { createOnly: true, doc: "In place of `client_type`." }),
    scopes: texts({
      default: ["all.full_access", "offline_access"] as string[],
      each: z.enum(appScopes),
      doc: "What it may ask for at most.",
    }),
    secret_hash: text({ readOnly: true, hidden: true }),
  },
});

function redirect() {
  return z.string().transform((raw, check) => {
    const url = parseUrl(raw);
    const reason =
      url === null || !isSafe(new URL(url))
        ? "must begin with https://, or http:// on localhost"
        : url.includes("#")
          ? "must have no part behind #"
          : null;
    if (reason !== null) check.addIssue({ code: "custom", message: reason });
    return url as string;
  });
}

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
