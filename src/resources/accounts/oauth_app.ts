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
  called: ["OAuth application", "OAuth applications"],
  prefix: "oa2client",
  doc: "Other software that members can allow to act in their name.",
  event: null,
  mcp: false,
  narrows: true,
  sort: { name: true },
  fields: {
    name: text({ required: true, doc: "The description that members see when they give consent." }),
    description: text({ max: 1000 }),
    website_url: webAddress("The address of its website."),
    logo_url: webAddress("The address of its logo."),
    redirect_uris: {
      ...texts({ required: true, doc: "The allowed redirect addresses: https, or http on this machine." }),
      schema: z.array(redirect()).min(1).max(10),
    },
    client_id: computed(["id"], z.string(), (id: string) => id, "The same as `id`."),
    client_secret: once("The secret of a confidential application; null for a public one.", z.string().nullable()),
    client_secret_last4: text({ readOnly: true, doc: "The last four characters of the secret." }),
    client_type: choice(["confidential", "public"], {
      createOnly: true,
      default: "confidential",
      doc: "`public` for applications that cannot keep a secret, such as one on a phone.",
    }),
    confidential: input(z.boolean(), {
      createOnly: true,
      later: ({ client_type }) => client_type === "confidential",
      doc: "In place of `client_type`.",
    }),
    scopes: texts({
      default: ["all.full_access", "offline_access"] as string[],
      each: z.enum(appScopes),
      doc: "The scopes that it may request.",
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
          ? "must have no part after #"
          : null;
    if (reason !== null) check.addIssue({ code: "custom", message: reason });
    return url as string;
  });
}

const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
