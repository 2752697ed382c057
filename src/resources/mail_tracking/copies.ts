// Which copies of a mail are sent: one for all, or one for each recipient when their links differ. Decided in the transaction in
// which sending starts, with the same result at every attempt.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { emailKey } from "../../values/email.ts";
import type { email } from "../activities/email.ts";
import { membership } from "../organization/membership.ts";
import { organizationOf } from "../organization/organization.ts";
import { hasTags, htmlThrough, htmlWithLink, htmlWithPixel, textThrough, textWithLink } from "./personal.ts";
import { secretsOf } from "./recipients.ts";
import { TrackedLinks } from "./tracked_links.ts";
import { type Urls, urlsOf } from "./urls.ts";

type Email = Row<typeof email>;

/** One copy of a mail. All copies have the same Message-ID, and name the same people in To and Cc. */
export interface Copy {
  to: string[];
  text: string;
  html: string | null;
  headers: Record<string, string>;
}

/** What a copy has for its recipient alone. */
interface Personal {
  /** The unsubscribe link in the body. */
  link: boolean;
  /** The same for mail programs, which show a button of their own (RFC 8058). */
  header: boolean;
  opens: boolean;
  clicks: boolean;
}

/** The copies for these recipients, always in the same order. */
export function copiesOf(ctx: Ctx, mail: Email, to: readonly string[]): Copy[] {
  const personal = personalOf(ctx, mail);
  const forAll = { to: [...to], text: mail.body_text ?? "", html: mail.body_html, headers: {} };
  if (to.length === 0) return [];
  if (!Object.values(personal).includes(true)) return [forAll];

  const secrets = secretsOf(ctx, mail.id, to);
  const links = new TrackedLinks(ctx);
  const copies = to.map((one) => {
    const urls = urlsOf(ctx.settings.base_url, secrets.get(emailKey(one))!);
    return { ...forAll, to: [one], ...bodiesFor(forAll, personal, urls, links), headers: headersFor(personal, urls) };
  });
  links.write();
  return copies;
}

/** Bulk mail always has an unsubscribe link. Other mail has it only if its author has put it there. */
function personalOf(ctx: Ctx, mail: Email): Personal {
  const isMailing = mail.sequence_id !== null || mail.bulk_email_action_id !== null;
  const link = isMailing || hasTags(mail.body_html) || hasTags(mail.body_text);
  return { link, header: link || mail.automation_run_id !== null, ...trackingOf(ctx, mail) };
}

/** The mail's own setting, or else the organization's. A member may switch off opens. */
function trackingOf(ctx: Ctx, { user_id, tracking, body_html }: Email): Pick<Personal, "opens" | "clicks"> {
  const usual = (organizationOf(ctx.directory).settings.email_tracking ?? {}) as { opens?: boolean; clicks?: boolean };
  const member = ctx.directory.list(membership).find((one) => one.user_id === user_id);
  const opens = tracking?.opens ?? (usual.opens === true && member?.track_email_opens !== false);
  return { opens: opens && body_html !== null, clicks: tracking?.clicks ?? usual.clicks === true };
}

function bodiesFor({ text, html }: Copy, personal: Personal, urls: Urls, links: TrackedLinks): Pick<Copy, "text" | "html"> {
  const leads = links.through(urls);
  const [trackedText, trackedHtml] = personal.clicks
    ? [textThrough(text, leads), html && htmlThrough(html, leads)]
    : [text, html];
  const [linkedText, linkedHtml] = personal.link
    ? [textWithLink(trackedText, urls), trackedHtml && htmlWithLink(trackedHtml, urls)]
    : [trackedText, trackedHtml];
  return { text: linkedText, html: linkedHtml !== null && personal.opens ? htmlWithPixel(linkedHtml, urls) : linkedHtml };
}

function headersFor({ header }: Personal, { unsubscribe }: Urls): Record<string, string> {
  if (!header) return {};
  return { "List-Unsubscribe": `<${unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
}
