// How a call proves who sent it. The forms are those of public documents: Standard Webhooks, GitHub, Stripe, Shopify, Close, Slack.
import { z } from "zod";

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, { error: "must be the name of a header, such as X-Signature" });

/** What is signed, in words or with the places of the timestamp and the body. */
const signedForms = { body: "{body}", "timestamp.body": "{timestamp}.{body}" } as const;

export const verification = z
  .strictObject({
    mode: z.enum(["standard", "hmac_custom", "token", "none"]),
    header: headerName.optional(),
    algorithm: z.enum(["sha256", "sha1", "sha512"]).optional(),
    encoding: z.enum(["hex", "base64"]).optional(),
    prefix: z.string().max(100).optional(),
    timestamp_header: headerName.optional(),
    signed: z
      .string()
      .max(255)
      .refine((form) => form in signedForms || form.split("{body}").length === 2, {
        error: "must be body, timestamp.body, or a text with {body} once, such as v0:{timestamp}:{body}",
      })
      .optional(),
    key_encoding: z.enum(["text", "hex", "base64"]).optional(),
  })
  .refine(({ mode, header }) => mode !== "hmac_custom" || header !== undefined, {
    path: ["header"],
    error: "is required: name the header with the signature",
  });

export type Verification = z.output<typeof verification>;

/** The text around the body. The first part may have the place of the timestamp. */
export function signedAround({ signed = "body" }: Verification): [before: string, after: string] {
  const form = signedForms[signed as keyof typeof signedForms] ?? signed;
  return form.split("{body}") as [string, string];
}
