// The second factor: codes of an authenticator app, and recovery codes for the day when the phone is gone.
import { randomInt } from "node:crypto";
import { generateSecret, generateURI, verifySync } from "otplib";
import { renderSVG } from "uqr";
import {
  confirmTotp,
  endOtherSessions,
  findTotp,
  type Person,
  proposeTotp,
  removeTotp,
  takeRecoveryCode,
  takeTotpStep,
} from "../auth/unscoped_sign_in.ts";
import type { Core } from "../core/core.ts";
import type { PublicAnswer, PublicRoute } from "../records/public_route.ts";
import { Html, html } from "../values/html_template.ts";
import { ownPage } from "./account_page.ts";
import { forgetMistakes, secondsToWait, waitFirst } from "./attempts.ts";
import { confirmFirst } from "./confirm_page.ts";
import { page } from "./page.ts";
import { nextOf } from "./sign_in_page.ts";
import {
  beginSession,
  form,
  isConfirmed,
  isOwnForm,
  pathOf,
  type SignedIn,
  seeOther,
  show,
  showLater,
  staleForm,
  type Visit,
  visitOf,
  withCookie,
} from "./visit.ts";

const placeOf = (userId: string) => ({ table: "user", column: "sealed_totp_secret", organization_id: "", id: userId });

const stepSeconds = 30;

/** Whether a code is of now, a moment ago or a moment ahead, and was not used. It can not be used again. */
async function isCode(core: Core, userId: string, code: string): Promise<boolean> {
  const totp = await findTotp(core.db, userId);
  const token = code.replace(/\s/g, "");
  if (totp === null || !/^\d{6}$/.test(token)) return false;
  const secret = core.settings.secrets.open(totp.sealed_secret, placeOf(userId));
  const epoch = Math.floor(core.clock().getTime() / 1000);
  const result = verifySync({ secret, token, epoch, epochTolerance: stepSeconds });
  return result.valid && takeTotpStep(core.db, userId, Math.floor(epoch / stepSeconds) + result.delta);
}

// --- signing in ---

export const signInCodePage: PublicRoute = {
  name: "sign_in.code",
  path: "/sign-in/code",
  doc: "Where a person enters their second factor.",
  methods: ["GET", "POST"],
  group: "sign_in",
  async run(core, request) {
    const visit = await visitOf(core, request);
    const next = nextOf(request.form.next ?? request.query.next);
    const { session, person } = visit;
    if (session === null || person === null) return seeOther(visit, `/sign-in/?next=${encodeURIComponent(next)}`);
    if (!session.is_pending) return seeOther(visit, next);
    if (request.method === "GET") return show(visit, codeForm(visit, next));
    return isOwnForm(visit, request.form)
      ? enterCode(visit, person, session.methods, request.form.code ?? "", next)
      : staleForm(visit);
  },
};

async function enterCode(
  visit: Visit,
  person: Person,
  methods: readonly string[],
  code: string,
  next: string,
): Promise<PublicAnswer> {
  const { core, visitor } = visit;
  const wait = await secondsToWait(core, person.email, visitor.ip);
  if (wait > 0) return showLater(visit, codeForm(visit, next, waitFirst(wait)), wait);
  const method = (await isCode(core, person.id, code))
    ? "totp"
    : (await takeRecoveryCode(core.db, person.id, plain(code), core.clock()))
      ? "recovery_code"
      : null;
  if (method === null) return show(visit, codeForm(visit, next, "The code is wrong, or was used already."), 403);
  await forgetMistakes(core, person.email, visit.visitor.ip);
  return seeOther(visit, next, await beginSession(visit, person, [...methods, method], false));
}

const codeForm = (visit: Visit, next: string, wrong?: string) =>
  page({
    title: "Your second factor",
    body: html`${wrong === undefined ? null : html`<p class="wrong" role="alert">${wrong}</p>`}
${form(
  visit,
  "/sign-in/code/",
  html`<input type="hidden" name="next" value="${next}">
<label for="code">Code of your authenticator app, or a recovery code</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required maxlength="40">
<div class="buttons"><button class="main">Sign in</button></div>`,
)}`,
  });

// --- turning it on and off ---

export const twoFactorPage = ownPage("/account/two_factor", "Where a person turns on a second factor.", async (visit, fields) => {
  const { core, person } = visit;
  if (!isConfirmed(visit)) return confirmFirst(visit, "/account/two_factor/");
  if (fields === null) return show(visit, person.has_totp ? onPage(visit) : await setUpPage(visit));
  if (person.has_totp) {
    if (fields.act === "new_codes") return show(visit, await codesPage(visit));
    if (fields.act === "off") await removeTotp(core.db, person.id);
    return seeOther(visit, "/account/");
  }
  const wait = await secondsToWait(core, person.email, visit.visitor.ip);
  if (wait > 0) return showLater(visit, await setUpPage(visit, waitFirst(wait)), wait);
  if (!(await isCode(core, person.id, fields.code ?? ""))) return show(visit, await setUpPage(visit, "The code is wrong."), 400);
  await forgetMistakes(core, person.email, visit.visitor.ip);
  // They never showed a second factor.
  await endOtherSessions(core.db, person.id, visit.session.id);
  const content = await codesPage(visit);
  return { status: 200, content: withCookie(content, await beginSession(visit, person, visit.session.methods, false)) };
});

/** The secret is kept until the first code of it was entered, so that a mistyped code does not begin anew. */
async function setUpPage(visit: SignedIn, wrong?: string) {
  const { core, person } = visit;
  const known = await findTotp(core.db, person.id);
  const { secrets } = core.settings;
  const secret = known === null ? generateSecret() : secrets.open(known.sealed_secret, placeOf(person.id));
  if (known === null) await proposeTotp(core.db, person.id, secrets.seal(secret, placeOf(person.id)));
  const picture = renderSVG(generateURI({ issuer: "Headwater", label: person.email, secret }), { border: 2 });
  return page({
    title: "Turn on a second factor",
    body: html`${wrong === undefined ? null : html`<p class="wrong" role="alert">${wrong}</p>`}
<p>Scan this with an authenticator app, or enter the key by hand. Then enter the code that the app shows.</p>
<div class="picture" role="img" aria-label="The key as a picture for the camera of your phone">${new Html(picture)}</div>
<p>The key: <code>${secret.match(/.{1,4}/g)!.join(" ")}</code></p>
${form(
  visit,
  "/account/two_factor/",
  html`<label for="code">Code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="10">
<div class="buttons"><button class="main">Turn it on</button></div>`,
)}
<p class="hint"><a href="${pathOf(core, "/account/")}">Back to your account</a></p>`,
  });
}

const onPage = (visit: SignedIn) =>
  page({
    title: "Your second factor is on",
    body: html`<p>When you sign in with your password, the code of your authenticator app is asked for as well.</p>
<div class="buttons">${form(visit, "/account/two_factor/", html`<button name="act" value="new_codes">New recovery codes</button>`)}
${form(visit, "/account/two_factor/", html`<button name="act" value="off">Turn it off</button>`)}</div>
<p class="hint"><a href="${pathOf(visit.core, "/account/")}">Back to your account</a></p>`,
  });

async function codesPage({ core, person }: SignedIn) {
  const codes = Array.from({ length: 10 }, newRecoveryCode);
  await confirmTotp(core.db, person.id, codes.map(plain), core.clock());
  return page({
    title: "Your recovery codes",
    body: html`<p class="done" role="status">The second factor is on.</p>
<p>Each of these codes replaces your phone once. They are shown only now: print them, or keep them where you keep passwords.</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p><a href="${pathOf(core, "/account/")}">Done</a></p>`,
  });
}

// 50 bits each, without letters that look alike.
const letters = "23456789abcdefghjkmnpqrstuvwxyz";
const newRecoveryCode = (): string => `${fiveLetters()}-${fiveLetters()}`;
const fiveLetters = (): string => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join("");

const plain = (code: string): string => code.toLowerCase().replace(/[^a-z0-9]/g, "");
