// Passkeys: signing in with one, and the page where a person makes, names and removes theirs. Only these two pages need a script.

import {
  insertPasskey,
  type Passkey,
  passkeysMost,
  passkeysOf,
  removePasskey,
  renamePasskey,
} from "../auth/unscoped_passkeys.ts";
import { findPerson } from "../auth/unscoped_sign_in.ts";
import type { PublicAnswer, PublicRoute } from "../records/public_route.ts";
import { type Html, html } from "../values/html_template.ts";
import { newId } from "../values/id.ts";
import { oneLine } from "../values/one_line.ts";
import { dayOf, deviceOf, ownPage } from "./account_page.ts";
import { confirmFirst } from "./confirm_page.ts";
import { page } from "./page.ts";
import { newPasskey, newPasskeyOptions, passkeyBehind, signInOptions } from "./passkey_answers.ts";
import { passkeyScript } from "./passkey_script.ts";
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
  staleForm,
  type Visit,
  visitOf,
} from "./visit.ts";

// --- signing in ---

export const signInPasskeyPage: PublicRoute = {
  name: "sign_in.passkey",
  path: "/sign-in/passkey",
  doc: "Where a person signs in with a passkey.",
  methods: ["GET", "POST"],
  group: "sign_in",
  async run(core, request) {
    const visit = await visitOf(core, request);
    const next = nextOf(request.form.next ?? request.query.next);
    if (request.method === "GET") return show(visit, await signInForm(visit, next));
    return isOwnForm(visit, request.form) ? signIn(visit, request.form.answer ?? "", next) : staleForm(visit);
  },
};

async function signIn(visit: Visit, answer: string, next: string): Promise<PublicAnswer> {
  const passkey = await passkeyBehind(visit, answer);
  const person = passkey && (await findPerson(visit.core.db, { id: passkey.user_id }));
  if (person === null) return show(visit, await signInForm(visit, next, notKnown), 403);
  return seeOther(visit, next, await beginSession(visit, person, ["passkey"], false));
}

const notKnown = "That did not work: the passkey is not known here, or the page was open for too long. Please try again.";

const signInForm = async (visit: Visit, next: string, wrong?: string) =>
  page({
    title: "Sign in with a passkey",
    script: passkeyScript,
    body: html`<p>Your browser asks for your finger, your face, or the PIN of your device.</p>
${wrongOf(wrong)}
${form(
  visit,
  "/sign-in/passkey/",
  html`<input type="hidden" name="next" value="${next}"><input type="hidden" name="answer" value="">
<div class="buttons"><button class="main">Use a passkey</button></div>`,
  { options: await signInOptions(visit) },
)}
<p class="hint"><a href="${pathOf(visit.core, `/sign-in/?next=${encodeURIComponent(next)}`)}">Sign in with a password</a></p>`,
  });

/** The script writes here too. */
const wrongOf = (wrong = ""): Html => html`<p class="wrong" id="wrong" role="alert">${wrong}</p>
<noscript><p class="wrong">Passkeys need JavaScript, which this browser does not run.</p></noscript>`;

// --- a person's own ---

export const passkeysPage = ownPage("/account/passkeys", "A person's passkeys.", async (visit, fields) => {
  if (!isConfirmed(visit)) return confirmFirst(visit, "/account/passkeys/");
  if (fields === null) return show(visit, await passkeysShown(visit));
  const { core, person } = visit;
  if (fields.act === "add") return add(visit, fields.answer ?? "");
  if (fields.act === "remove") await removePasskey(core.db, person.id, fields.id ?? "");
  if (fields.act === "rename") {
    const name = oneLine(fields.name ?? "", 100);
    if (name !== "") await renamePasskey(core.db, person.id, { id: fields.id ?? "", name });
  }
  return seeOther(visit, "/account/passkeys/");
});

async function add(visit: SignedIn, answer: string): Promise<PublicAnswer> {
  const { core, person, visitor } = visit;
  const made = await newPasskey(visit, answer);
  if (made === null) return show(visit, await passkeysShown(visit, notMade), 400);
  const now = core.clock();
  const isNew = await insertPasskey(core.db, {
    ...made,
    id: newId("passkey", now.getTime()),
    user_id: person.id,
    name: deviceOf(String(visitor.headers["user-agent"] ?? "")),
    date_created: now,
  });
  return isNew ? seeOther(visit, "/account/passkeys/") : show(visit, await passkeysShown(visit, notTaken), 400);
}

const notMade = "That did not work: the page was open for too long, or the device did not ask who you are. Please try again.";
const notTaken = `That passkey is known already, or you have ${passkeysMost}, which are as many as there may be.`;

async function passkeysShown(visit: SignedIn, wrong?: string) {
  const passkeys = await passkeysOf(visit.core.db, visit.person.id);
  return page({
    title: "Passkeys",
    script: passkeyScript,
    body: html`<div class="wide"></div>
<p>A passkey signs you in with your finger, your face, or the PIN of your device. No password and no second factor is asked for then, and
no other site can steal it.</p>
${wrongOf(wrong)}
${passkeys.length === 0 ? html`<p>You have none yet.</p>` : html`<ul class="list">${passkeys.map((one) => passkeyOf(visit, one))}</ul>`}
${form(
  visit,
  "/account/passkeys/",
  html`<input type="hidden" name="act" value="add"><input type="hidden" name="answer" value="">
<div class="buttons"><button class="main">Add a passkey</button></div>`,
  { options: await newPasskeyOptions(visit), makes: "true" },
)}
<p class="hint"><a href="${pathOf(visit.core, "/account/")}">Back to your account</a></p>`,
  });
}

const passkeyOf = (visit: SignedIn, { id, name, backed_up, date_created, last_used_at }: Passkey): Html => {
  const used = last_used_at === null ? "not used yet" : `last used ${dayOf(last_used_at)}`;
  return html`<li><span><strong>${name}</strong><br>
<span class="soft">${backed_up ? "On all your devices" : "On one device"}; since ${dayOf(date_created)}, ${used}</span></span>
${form(
  visit,
  "/account/passkeys/",
  html`<input type="hidden" name="id" value="${id}"><div class="row"><input name="name" value="${name}" aria-label="Name of ${name}" maxlength="100" required>
<button name="act" value="rename">Rename</button><button name="act" value="remove" aria-label="Remove ${name}">Remove</button></div>`,
)}</li>`;
};
