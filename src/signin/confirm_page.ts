// /account/confirm/: asks for the password again before something dangerous, when the sign-in was more than ten minutes ago.
import { isPassword } from "../auth/password.ts";
import { passkeysOf } from "../auth/unscoped_passkeys.ts";
import type { PublicAnswer } from "../records/public_route.ts";
import { html } from "../values/html_template.ts";
import { ownPage } from "./account_page.ts";
import { forgetMistakes, secondsToWait, waitFirst } from "./attempts.ts";
import { page } from "./page.ts";
import { nextOf } from "./sign_in_page.ts";
import { beginSession, form, pathOf, type SignedIn, seeOther, show, showLater } from "./visit.ts";

export const confirmFirst = async (visit: SignedIn, next: string): Promise<PublicAnswer> =>
  show(visit, await confirmForm(visit, next), 403);

export const confirmPage = ownPage("/account/confirm", "Where a person proves again who they are.", async (visit, fields) => {
  const { core, person, session, visitor } = visit;
  const next = nextOf(fields?.next);
  if (fields === null) return show(visit, await confirmForm(visit, next));
  const wait = await secondsToWait(core, person.email, visitor.ip);
  if (wait > 0) return showLater(visit, await confirmForm(visit, next, waitFirst(wait)), wait);
  if (!(await isPassword(person.password_hash, (fields.password ?? "").slice(0, 500))))
    return show(visit, await confirmForm(visit, next, "The password is wrong."), 403);
  await forgetMistakes(core, person.email, visit.visitor.ip);
  return seeOther(visit, next, await beginSession(visit, person, session.methods, false));
});

async function confirmForm(visit: SignedIn, next: string, wrong?: string) {
  const hasPasskey = (await passkeysOf(visit.core.db, visit.person.id)).length > 0;
  return page({
    title: "Is it still you?",
    body: html`${wrong === undefined ? null : html`<p class="wrong" role="alert">${wrong}</p>`}
<p>You signed in a while ago. Before you go on, please enter your password again.</p>
${form(
  visit,
  "/account/confirm/",
  html`<input type="hidden" name="next" value="${next}">
<input type="hidden" name="username" autocomplete="username" value="${visit.person.email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="500">
<div class="buttons"><button class="main">Go on</button></div>`,
)}
${hasPasskey ? html`<p class="hint"><a href="${pathOf(visit.core, `/sign-in/passkey/?next=${encodeURIComponent(next)}`)}">Use a passkey instead</a></p>` : null}`,
  });
}
