// /password/: asks for a link by mail, with the same answer whether or not the address is known. /password/{token}/: sets a password.
import { setTimeout } from "node:timers/promises";
import { hashPassword } from "../auth/password.ts";
import { hashOf } from "../auth/unscoped.ts";
import { membershipsToActIn } from "../auth/unscoped_oauth.ts";
import {
  countAttempt,
  findPasswordLink,
  findPerson,
  type Person,
  setPasswordByLink,
  writePasswordLink,
} from "../auth/unscoped_sign_in.ts";
import { transactionOf } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import { asSystem } from "../records/acting.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../records/public_route.ts";
import { newMailId, queueMail } from "../resources/system_mail/queue.ts";
import { emailKey } from "../values/email.ts";
import { html } from "../values/html_template.ts";
import { page } from "./page.ts";
import { faultOf } from "./password_rules.ts";
import { beginSession, form, isOwnForm, newToken, pathOf, seeOther, show, staleForm, type Visit, visitOf } from "./visit.ts";

const linkMs = 3600 * 1000;
/** Longer than it takes to store a link. */
const sendMs = 150;
/** Nobody floods a mailbox. */
const mailsInHour = { free: 3, windowSeconds: 3600 };

export const forgottenPage: PublicRoute = {
  name: "password.forgotten",
  path: "/password",
  doc: "Where a person asks for a link to set a password.",
  methods: ["GET", "POST"],
  group: "sign_in",
  async run(core, request) {
    const visit = await visitOf(core, request);
    if (request.method === "GET") return show(visit, askForm(visit));
    if (!isOwnForm(visit, request.form)) return staleForm(visit);
    // The answer takes as long for an unknown address.
    await Promise.all([sendLink(core, (request.form.email ?? "").slice(0, 255), request.requestId), setTimeout(sendMs)]);
    return show(visit, sentPage(visit));
  },
};

const askForm = (visit: Visit) =>
  page({
    title: "Set a password",
    body:
      visit.core.settings.mail === null
        ? html`<p>This service sends no mail. Ask who runs it for a link: <code>headwater account link --email you@example.com</code> prints one.</p>
<p class="hint"><a href="${pathOf(visit.core, "/sign-in/")}">Back to the sign-in</a></p>`
        : html`<p>We send you a link with which you can choose a password.</p>
${form(
  visit,
  "/password/",
  html`<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="255">
<div class="buttons"><button class="main">Send the link</button></div>`,
)}
<p class="hint"><a href="${pathOf(visit.core, "/sign-in/")}">Back to the sign-in</a></p>`,
  });

const sentPage = (visit: Visit) =>
  page({
    title: "Look into your mail",
    body: html`<p>If this address has an account here, a link is on its way. It works for an hour. If nothing comes, look among unwanted mail,
or try again.</p>
<p class="hint"><a href="${pathOf(visit.core, "/sign-in/")}">Back to the sign-in</a></p>`,
  });

async function sendLink(core: Core, email: string, requestId: string): Promise<void> {
  if (core.settings.mail === null) return;
  const wait = await countAttempt(core.db, `password mail ${hashOf(emailKey(email.trim()))}`, mailsInHour, core.clock());
  const person = wait > 0 ? null : await findPerson(core.db, { email });
  const [membership] = person === null ? [] : await membershipsToActIn(core.db, person.id);
  if (person === null || membership === undefined) return;
  await asSystem(core, membership.organization_id, { id: requestId, method: "POST", path: "/password/" }, async (ctx) => {
    const token = newToken();
    writePasswordLink(transactionOf(ctx), {
      token,
      userId: person.id,
      now: ctx.now,
      expires: new Date(ctx.now.getTime() + linkMs),
    });
    queueMail(ctx, newMailId(ctx), { kind: "password", user_id: person.id, token });
  });
}

// --- the link ---

export const passwordPage: PublicRoute = {
  name: "password.page",
  path: "/password/{token}",
  doc: "Where a person with a link sets a password.",
  methods: ["GET", "POST"],
  group: "sign_in",
  async run(core, request) {
    const visit = await visitOf(core, request);
    const token = request.params.token!;
    const person = /^[\w-]{43}$/.test(token) ? await findPasswordLink(core.db, token, core.clock()) : null;
    if (person === null) return show(visit, overPage(visit), 404);
    return request.method === "GET" ? show(visit, chooseForm(visit, token, person)) : choose(visit, token, person, request);
  },
};

const overPage = (visit: Visit) =>
  page({
    title: "This link is over",
    body: html`<p>It was used, or is too old. <a href="${pathOf(visit.core, "/password/")}">Ask for a new one</a>.</p>`,
  });

const chooseForm = (visit: Visit, token: string, person: Person, wrong?: string) =>
  page({
    title: "Choose a password",
    body: html`${wrong === undefined ? null : html`<p class="wrong" role="alert">${wrong}</p>`}
<p>For ${person.email}.</p>
${form(
  visit,
  `/password/${token}/`,
  html`<input type="hidden" name="username" autocomplete="username" value="${person.email}">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="10" maxlength="500" aria-describedby="rule">
<p class="hint" id="rule">At least 10 characters. Three or four words that do not belong together make a good one.</p>
<div class="buttons"><button class="main">Set the password</button></div>`,
)}`,
  });

/** Who set a password over a link is signed in, unless they have a second factor, which a mailbox must not replace. */
async function choose(visit: Visit, token: string, person: Person, { form: fields }: PublicRequest): Promise<PublicAnswer> {
  if (!isOwnForm(visit, fields)) return staleForm(visit);
  const { core } = visit;
  const password = fields.password ?? "";
  const fault = await faultOf(core, person, password);
  if (fault !== null) return show(visit, chooseForm(visit, token, person, fault), 400);
  const hash = await hashPassword(password);
  if (!(await setPasswordByLink(core, person.id, token, hash))) return show(visit, overPage(visit), 404);
  const fresh = { ...visit, token: null };
  if (person.has_totp) return seeOther(fresh, "/sign-in/code/", await beginSession(fresh, person, ["link"], true));
  return seeOther(fresh, "/account/", await beginSession(fresh, person, ["link"], false));
}
