// /sign-in/: an e-mail address and a password. The answer is the same for an unknown address and a wrong password.
import { hashPassword, isPassword, isWeak } from "../auth/password.ts";
import { findPerson, type Person, rehashPassword } from "../auth/unscoped_sign_in.ts";
import type { Core } from "../core/core.ts";
import type { PublicAnswer, PublicRequest, PublicRoute } from "../records/public_route.ts";
import { html } from "../values/html_template.ts";
import { forgetMistakes, secondsToWait, takeBack, waitFirst } from "./attempts.ts";
import { page } from "./page.ts";
import {
  beginSession,
  form,
  isOwnForm,
  isSignedIn,
  pathOf,
  seeOther,
  show,
  showLater,
  staleForm,
  type Visit,
  visitOf,
} from "./visit.ts";

export const signInPage: PublicRoute = {
  name: "sign_in.page",
  path: "/sign-in",
  doc: "Where a person signs in.",
  methods: ["GET", "POST"],
  group: "sign_in",
  async run(core, request) {
    const visit = await visitOf(core, request);
    const next = nextOf(request.form.next ?? request.query.next);
    if (request.method === "POST") return signIn(visit, request, next);
    return isSignedIn(visit) ? seeOther(visit, next) : show(visit, signInForm(visit, { next, email: "" }));
  },
};

/** Where a person wanted to go. Only our own pages: nobody is sent elsewhere by a link to the sign-in. */
export const nextOf = (path: string | undefined): string =>
  path !== undefined && /^\/(oauth2\/consent|account|invite)\/[\w/-]*$/.test(path) ? path : "/account/";

interface Shown {
  next: string;
  email: string;
  wrong?: string;
}

const signInForm = (visit: Visit, { next, email, wrong }: Shown) =>
  page({
    title: "Sign in",
    body: html`${wrong === undefined ? null : html`<p class="wrong" role="alert">${wrong}</p>`}
${form(
  visit,
  "/sign-in/",
  html`<input type="hidden" name="next" value="${next}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="255" value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="500">
<div class="buttons"><button class="main">Sign in</button></div>`,
)}
<p class="hint"><a href="${pathOf(visit.core, `/sign-in/passkey/?next=${encodeURIComponent(next)}`)}">Sign in with a passkey</a></p>
<p class="hint"><a href="${pathOf(visit.core, "/password/")}">Forgot your password, or have none yet?</a></p>`,
  });

async function signIn(visit: Visit, { form: fields, ip }: PublicRequest, next: string): Promise<PublicAnswer> {
  if (!isOwnForm(visit, fields)) return staleForm(visit);
  const { core } = visit;
  const email = (fields.email ?? "").slice(0, 255);
  const wait = await secondsToWait(core, email, ip);
  if (wait > 0) return showLater(visit, signInForm(visit, { next, email, wrong: waitFirst(wait) }), wait);

  const person = await personWith(core, email, (fields.password ?? "").slice(0, 500));
  if (person === null)
    return show(visit, signInForm(visit, { next, email, wrong: "The e-mail address or the password is wrong." }), 403);
  if (person.has_totp) {
    await takeBack(core, email, ip);
    const cookie = await beginSession(visit, person, ["password"], true);
    return seeOther(visit, `/sign-in/code/?next=${encodeURIComponent(next)}`, cookie);
  }
  await forgetMistakes(core, email, ip);
  return seeOther(visit, next, await beginSession(visit, person, ["password"], false));
}

/** The person with this address and password, or null. It takes the same time in both cases. */
async function personWith(core: Core, email: string, password: string): Promise<Person | null> {
  const person = await findPerson(core.db, { email });
  if (!(await isPassword(person?.password_hash ?? null, password)) || person === null) return null;
  if (isWeak(person.password_hash!)) await rehashPassword(core.db, person.id, await hashPassword(password));
  return person;
}
