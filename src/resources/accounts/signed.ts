// The signature of an account as it is stored.
import type { Ctx } from "../../core/context.ts";
import { isMarkup } from "../../values/mail_html.ts";
import { withoutOurLinks } from "../mail_tracking/quoted.ts";

/** A signature that was pasted from a mail has the links of whom that was sent to. */
export async function signed(ctx: Ctx, { signature }: { signature?: string | null }): Promise<{ signature?: string | null }> {
  if (!signature) return {};
  const isRich = isMarkup(signature);
  const { text, html } = await withoutOurLinks(ctx, isRich ? { text: null, html: signature } : { text: signature, html: null });
  return { signature: isRich ? html : text };
}
