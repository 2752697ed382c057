// A text that is stored both as plain text and as HTML. Each form is made from the other, so that both always say the same.
import type { Ctx } from "../../core/context.ts";
import { fromHtml, fromText } from "../../values/rich_text.ts";
import { withoutOurLinks } from "../mail_tracking/quoted.ts";

export interface BothForms {
  text: string | null;
  html: string | null;
  /** The ids of users and groups that the rich form mentions. */
  mentions: string[];
}

/**
 * Both forms of what a body gives, or undefined when it gives neither. The rich form wins, unless only the plain one differs from
 * the stored value (`before`): a client that writes a whole record back has changed only one of the two. What is pasted from a mail
 * loses the links of whom it was sent to.
 */
export async function bothForms(ctx: Ctx, given: Forms, before: Forms = {}): Promise<BothForms | undefined> {
  const plain = given.text === before.text ? undefined : given.text;
  const html = given.html === before.html ? undefined : given.html;
  if (plain === undefined && html === undefined) return undefined;
  if (typeof html === "string") return orNothing(await passedOn(ctx, fromHtml(html)));
  if (typeof plain === "string") return orNothing(await passedOn(ctx, { ...fromText(plain), mentions: [] }));
  return nothing;
}

interface Forms {
  text?: string | null | undefined;
  html?: string | null | undefined;
}

const passedOn = async (ctx: Ctx, forms: BothForms): Promise<BothForms> => ({ ...forms, ...(await withoutOurLinks(ctx, forms)) });

const nothing: BothForms = { text: null, html: null, mentions: [] };

const orNothing = (forms: BothForms): BothForms =>
  forms.text?.trim() === "" && !/<(img|hr)\b/.test(forms.html ?? "") ? nothing : forms;
