// /invite/{token}/: shows an invitation to anybody with the link, and accepts it once. Reading it changes nothing.
import { randomBytes } from "node:crypto";
import { activeMembershipsOf, findInvitation, hashOf } from "../../auth/unscoped.ts";
import { findPerson, writePasswordLink } from "../../auth/unscoped_sign_in.ts";
import { type Ctx, read, transactionOf } from "../../core/context.ts";
import { Content } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { asService } from "../../records/acting.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../../records/public_route.ts";
import { lockRecord } from "../../records/records.ts";
import { pgTimestamp } from "../../values/time.ts";
import { plainPage, plainPageHeaders } from "../shared/plain_page.ts";
import { inviterOf } from "./invitation.ts";
import { membership } from "./membership.ts";
import { accept } from "./membership_verbs.ts";
import { organizationOf } from "./organization.ts";

type Membership = Row<typeof membership>;

export const invitationPage: PublicRoute = {
  name: "invitation.page",
  path: "/invite/{token}",
  doc: "An invitation, for anyone with its link: to read, and to accept.",
  methods: ["GET", "POST"],
  group: "sign_in",
  async run(core, request) {
    const token = request.params.token!;
    const found = /^[\w-]{43}$/.test(token) ? await findInvitation(core.db, hashOf(token)) : null;
    if (found === null) return unknown;
    // The secret does not appear in events.
    const occasion = { id: request.requestId, method: request.method, path: "/invite/" };
    return asService(core, found.organization_id, found.user_id, occasion, async (ctx) => {
      const invited = await lockRecord(ctx, membership, found.membership_id);
      return request.method === "POST" ? answer(ctx, invited, request) : show(ctx, invited, request);
    });
  },
};

const unknown: PublicAnswer = {
  status: 404,
  content: plainPage({
    title: "Invitation",
    words: ["There is no invitation at this address. Perhaps a newer one was sent: please look for it, or ask for a new one."],
  }),
};

// --- the page ---

async function show(ctx: Ctx, invited: Membership, request: PublicRequest): Promise<PublicAnswer> {
  const { name } = organizationOf(ctx.directory);
  if (invited.status === "active") return { status: 200, content: plainPage(welcome(name)) };
  if (invited.status === "inactive") return over("This invitation was withdrawn.");
  const link = await linkOf(ctx, invited);
  if (link.expires_at <= ctx.now) return over("This invitation has expired. Please ask for a new one.");
  const inviter = inviterOf(ctx, link.invited_by);
  const words = [
    inviter === null ? `You are invited to work in ${name}.` : `${inviter} invites you to work with them in ${name}.`,
    `The invitation is for ${invited.invited_email}.`,
  ];
  const form = { action: pathOf(ctx, request), button: "Accept the invitation" };
  return { status: 200, content: plainPage({ title: `Invitation to ${name}`, words, form }) };
}

const over = (sentence: string): PublicAnswer => ({
  status: 410,
  content: plainPage({ title: "Invitation", words: [sentence] }),
});

const welcome = (name: string) => ({
  title: `Welcome to ${name}`,
  words: [
    `You are now a member of ${name}: leads and tasks can be assigned to you, and your colleagues see your name.`,
    "In your account you find keys for other software, and what is connected to it.",
  ],
});

async function linkOf(ctx: Ctx, { id }: Membership): Promise<{ invited_by: string | null; expires_at: Date }> {
  const [row] = await read(ctx, {
    name: "invitation.shown",
    text: `select invited_by, expires_at from invitation where organization_id = $1 and membership_id = $2`,
    values: [ctx.organization_id, id],
  });
  return { invited_by: row![0]!, expires_at: new Date(pgTimestamp(row![1]!)) };
}

/** The path of the service below its host, so that links work under any host name. */
const pathOf = (ctx: Ctx, { params }: PublicRequest): string => `${basePathOf(ctx)}/invite/${params.token}/`;

const basePathOf = ({ settings }: Ctx): string => new URL(settings.base_url).pathname.replace(/\/$/, "");

// --- accepting ---

/** A second submission of the form finds the invitation accepted. */
async function answer(ctx: Ctx, invited: Membership, request: PublicRequest): Promise<PublicAnswer> {
  const shown = await show(ctx, invited, request);
  if (shown.status !== 200) return shown;
  if (invited.status === "invited") await accept(ctx, invited);
  const location = (await passwordPath(ctx, invited)) ?? pathOf(ctx, request);
  return { status: 303, content: new Content("text/plain; charset=utf-8", "", { ...plainPageHeaders, location }) };
}

const linkMs = 3600 * 1000;

/**
 * Who has no password yet chooses one next. Where the link was not mailed, whoever invites has seen it too: then it must not open the
 * account of somebody who is a member elsewhere.
 */
async function passwordPath(ctx: Ctx, { user_id }: Membership): Promise<string | null> {
  const person = await findPerson(ctx.db, { id: user_id });
  if (person === null || person.password_hash !== null) return null;
  const elsewhere = (await activeMembershipsOf(ctx, user_id)).filter((one) => one.organization_id !== ctx.organization_id);
  if (ctx.settings.mail === null && elsewhere.length > 0) return null;
  const token = randomBytes(32).toString("base64url");
  writePasswordLink(transactionOf(ctx), { token, userId: user_id, now: ctx.now, expires: new Date(ctx.now.getTime() + linkMs) });
  return `${basePathOf(ctx)}/password/${token}/`;
}
