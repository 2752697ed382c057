// /u/{token}/: unsubscribes a recipient, by a button on the page or by their mail program (RFC 8058). Reading the page changes
// nothing, because scanners follow every link. It needs only the link: the mail, the contact and the lead may be gone.
import type { MailRecipient } from "../../auth/unscoped.ts";
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../records/public_route.ts";
import { suppress } from "../contacts/suppress.ts";
import { organizationOf } from "../organization/organization.ts";
import { endWays } from "../sequences/stops.ts";
import { plainPage } from "../shared/plain_page.ts";
import { recipientBehind } from "./recipients.ts";

export const unsubscribePage: PublicRoute = {
  name: "unsubscribe.page",
  path: "/u/{token}",
  doc: "Unsubscribes the recipient of a mail from all mailings of the organization that sent it.",
  methods: ["GET", "POST"],
  group: "link",
  async run(core, request) {
    const recipient = await recipientBehind(core, request.params.token!);
    if (recipient === null) return unknown;
    if (request.method === "POST") await unsubscribe(core, recipient, request);
    const ctx = await readingAs(core, systemActor(recipient.organization_id), occasionOf(request));
    return request.method === "POST" ? done(ctx, recipient) : asking(ctx, recipient, request.params.token!);
  },
};

/** The secret does not appear in events. */
const occasionOf = ({ requestId, method }: PublicRequest) => ({ id: requestId, method, path: "/u/" });

/** However often it is sent, it is stored once. It also ends the recipient's sequences. */
const unsubscribe = (core: Core, { organization_id, address, email_id }: MailRecipient, request: PublicRequest): Promise<void> =>
  asSystem(core, organization_id, occasionOf(request), async (ctx) => {
    const source = request.form["List-Unsubscribe"] === "One-Click" ? "one_click" : "link";
    await suppress(ctx, { address, reason: "unsubscribed", source, source_id: email_id });
    await endWays(ctx, { addresses: [address] }, "unsubscribed");
  });

// --- the page ---

const title = "No more mail";

/** The link may have been forwarded, so the page does not show whose it is. */
function masked(address: string): string {
  const [first = ""] = address;
  return `${first}…${address.slice(address.lastIndexOf("@"))}`;
}

const nameOf = (ctx: Ctx): string => organizationOf(ctx.directory).name;

const asking = (ctx: Ctx, { address }: MailRecipient, token: string): PublicAnswer => ({
  status: 200,
  content: plainPage({
    title,
    words: [`${nameOf(ctx)} sends mail to ${masked(address)}. Do you want to unsubscribe?`],
    form: { action: `${new URL(ctx.settings.base_url).pathname.replace(/\/$/, "")}/u/${token}/`, button: "Unsubscribe" },
  }),
});

const done = (ctx: Ctx, { address }: MailRecipient): PublicAnswer => ({
  status: 200,
  content: plainPage({
    title,
    words: [
      `${masked(address)} is unsubscribed from mailings of ${nameOf(ctx)}.`,
      "Mail that was already sent may still arrive. You need not do anything else.",
    ],
  }),
});

const unknown: PublicAnswer = {
  status: 404,
  content: plainPage({
    title,
    words: ["There is nothing at this address. Please check that the link is complete, or answer the mail and say it there."],
  }),
};
