// /invite/{token}/: shows an invitation to anybody with the link, and accepts it once. Reading it changes nothing. Who can sign in
// accepts as themselves: whoever invites may have seen the link, too.
import { activeMembershipsOf, findInvitation, hashOf, lockUser } from "../auth/unscoped.ts";
import { passkeysOf } from "../auth/unscoped_passkeys.ts";
import { findPerson, type Person, writePasswordLink } from "../auth/unscoped_sign_in.ts";
import { type Ctx, read, transactionOf } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import type { Row } from "../core/resource.ts";
import { asService } from "../records/acting.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../records/public_route.ts";
import { lockRecord } from "../records/records.ts";
import { inviterOf } from "../resources/organization/invitation.ts";
import { membership } from "../resources/organization/membership.ts";
import { accept } from "../resources/organization/membership_verbs.ts";
import { organizationOf } from "../resources/organization/organization.ts";
import { type Html, html } from "../values/html_template.ts";
import { pgTimestamp } from "../values/time.ts";
import { page } from "./page.ts";
import { form, isOwnForm, isSignedIn, newToken, pathOf, seeOther, show, staleForm, type Visit, visitOf } from "./visit.ts";

type Membership = Row<typeof membership>;

export const invitationPage: PublicRoute = {
  name: "invitation.page",
  path: "/invite/{token}",
  doc: "An invitation, for anyone with its link: to read, and to accept.",
  methods: ["GET", "POST"],
  group: "sign_in",
  async run(core, request) {
    const visit = await visitOf(core, request);
    const token = request.params.token!;
    const found = /^[\w-]{43}$/.test(token) ? await findInvitation(core.db, hashOf(token)) : null;
    if (found === null) return show(visit, page({ title: "Invitation", body: unknown }), 404);
    const person = await findPerson(core.db, { id: found.user_id });
    const mayAccept = person !== null && (isSelf(visit, person) || !(await canSignIn(core, person)));
    // The secret does not appear in events.
    const occasion = { id: request.requestId, method: request.method, path: "/invite/" };
    return asService(core, found.organization_id, found.user_id, occasion, async (ctx) => {
      const invited = await lockRecord(ctx, membership, found.membership_id);
      const seen = await look(ctx, invited, mayAccept && !isSignedIn(visit));
      if (request.method === "GET" || seen.form === null) return shown(visit, request, seen);
      if (!isOwnForm(visit, request.form)) return staleForm(visit);
      return mayAccept ? acceptAs(ctx, visit, request, invited) : signInFirst(visit, request, invited);
    });
  },
};

const unknown = html`<p>There is no invitation at this address. Perhaps a newer one was sent: please look for it, or ask for a new one.</p>`;

const isSelf = (visit: Visit, person: Person): boolean => isSignedIn(visit) && visit.person.id === person.id;

const canSignIn = async ({ db }: Core, { id, password_hash }: Person): Promise<boolean> =>
  password_hash !== null || (await passkeysOf(db, id)).length > 0;

const addressOf = ({ params }: PublicRequest): string => `/invite/${params.token}/`;

// --- the page ---

interface Seen {
  title: string;
  words: readonly string[];
  /** The words of its button, as long as it can be accepted. */
  form: string | null;
  status: number;
}

/** `lacksPassword`: who comes again without having chosen one may still do so, where no mail can bring a link for it. */
async function look(ctx: Ctx, invited: Membership, lacksPassword: boolean): Promise<Seen> {
  const { name } = organizationOf(ctx.directory);
  if (invited.status === "inactive") return over("This invitation was withdrawn.");
  const link = await linkOf(ctx, invited);
  if (invited.status === "active") {
    const chooses =
      lacksPassword && ctx.settings.mail === null && link.expires_at > ctx.now && (await mayChoosePassword(ctx, invited));
    return chooses ? { ...welcome(name), form: "Choose a password" } : welcome(name);
  }
  if (link.expires_at <= ctx.now) return over("This invitation has expired. Please ask for a new one.");
  const inviter = inviterOf(ctx, link.invited_by);
  const words = [
    inviter === null ? `You are invited to work in ${name}.` : `${inviter} invites you to work with them in ${name}.`,
    `The invitation is for ${invited.invited_email}.`,
  ];
  return { title: `Invitation to ${name}`, words, form: "Accept the invitation", status: 200 };
}

const over = (sentence: string): Seen => ({ title: "Invitation", words: [sentence], form: null, status: 410 });

const welcome = (name: string): Seen => ({
  title: `Welcome to ${name}`,
  words: [
    `You are now a member of ${name}: leads and tasks can be assigned to you, and your colleagues see your name.`,
    "In your account you find keys for other software, and what is connected to it.",
  ],
  form: null,
  status: 200,
});

async function linkOf(ctx: Ctx, { id }: Membership): Promise<{ invited_by: string | null; expires_at: Date }> {
  const [row] = await read(ctx, {
    name: "invitation.shown",
    text: `select invited_by, expires_at from invitation where organization_id = $1 and membership_id = $2`,
    values: [ctx.organization_id, id],
  });
  return { invited_by: row![0]!, expires_at: new Date(pgTimestamp(row![1]!)) };
}

function shown(visit: Visit, request: PublicRequest, { title, words, form: button, status }: Seen): PublicAnswer {
  const accepting: Html =
    button === null
      ? html`<p><a href="${pathOf(visit.core, "/account/")}">Go to your account</a></p>`
      : form(visit, addressOf(request), html`<div class="buttons"><button class="main">${button}</button></div>`);
  return show(visit, page({ title, body: html`${words.map((one) => html`<p>${one}</p>`)}${accepting}` }), status);
}

// --- accepting ---

/** Who has a password or a passkey proves first that the invitation is theirs. */
function signInFirst(visit: Visit, request: PublicRequest, { invited_email }: Membership): PublicAnswer {
  if (!isSignedIn(visit)) return seeOther(visit, `/sign-in/?next=${encodeURIComponent(addressOf(request))}`);
  const body = html`<p>The invitation is for ${invited_email ?? "somebody else"}, and you are signed in as ${visit.person.email}.</p>
<p>Sign out in <a href="${pathOf(visit.core, "/account/")}">your account</a>, and open the link of the invitation again.</p>`;
  return show(visit, page({ title: "This invitation is for somebody else", body }), 403);
}

async function acceptAs(ctx: Ctx, visit: Visit, request: PublicRequest, invited: Membership): Promise<PublicAnswer> {
  // Somebody may choose a password for them at this moment, over a link of another organization.
  await lockUser(ctx, invited.user_id);
  const person = await findPerson(ctx.db, { id: invited.user_id });
  if (person === null || !(isSelf(visit, person) || !(await canSignIn(visit.core, person))))
    return signInFirst(visit, request, invited);
  if (invited.status === "invited") await accept(ctx, invited);
  return seeOther(visit, (await passwordPath(ctx, invited)) ?? addressOf(request));
}

const linkMs = 3600 * 1000;

/** Who has no password yet chooses one next. Where the link was not mailed, whoever invites has seen it, too. */
async function passwordPath(ctx: Ctx, invited: Membership): Promise<string | null> {
  if (!(await mayChoosePassword(ctx, invited))) return null;
  const token = newToken();
  const seenBy = ctx.settings.mail === null ? ctx.organization_id : undefined;
  const expires = new Date(ctx.now.getTime() + linkMs);
  writePasswordLink(transactionOf(ctx), { token, userId: invited.user_id, now: ctx.now, expires, seenBy });
  return `/password/${token}/`;
}

/** A link that others have seen must not open the account of somebody who is a member elsewhere. */
async function mayChoosePassword(ctx: Ctx, { user_id }: Membership): Promise<boolean> {
  const person = await findPerson(ctx.db, { id: user_id });
  if (person === null || person.password_hash !== null) return false;
  if (ctx.settings.mail !== null) return true;
  return (await activeMembershipsOf(ctx, user_id)).every((one) => one.organization_id === ctx.organization_id);
}
