// What a browser is asked about passkeys, and whether its answer is right. A question says itself until when it counts and to which
// browser it was put, so that none is stored; an answer counts once.
import { randomBytes } from "node:crypto";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import { findPasskey, type Passkey, passkeysOf, takeChallenge, usePasskey } from "../auth/unscoped_passkeys.ts";
import type { Core } from "../core/core.ts";
import type { SignedIn, Visit } from "./visit.ts";

const answerMs = 5 * 60 * 1000;

// It takes a tenth of a second to load, and is needed by few.
const library = () => import("@simplewebauthn/server");

/** EdDSA, ES256 and RS256, which all devices know. The newer ones are experimental in Node. */
const algorithms = [-8, -7, -257];

/** Passkeys belong to this host. */
const hostOf = (core: Core): string => new URL(core.settings.base_url).hostname;
const originOf = (core: Core): string => new URL(core.settings.base_url).origin;

// --- questions ---

type Purpose = "make" | "sign in";

export async function signInOptions(visit: Visit): Promise<string> {
  const { generateAuthenticationOptions } = await library();
  const challenge = challengeOf(visit, "sign in");
  const rpID = hostOf(visit.core);
  return JSON.stringify(
    await generateAuthenticationOptions({ rpID, challenge, userVerification: "required", timeout: answerMs }),
  );
}

export async function newPasskeyOptions(visit: SignedIn): Promise<string> {
  const { generateRegistrationOptions } = await library();
  const { core, person } = visit;
  const known = await passkeysOf(core.db, person.id);
  const options = await generateRegistrationOptions({
    rpName: "Headwater",
    rpID: hostOf(core),
    userID: new Uint8Array(Buffer.from(person.id)),
    userName: person.email,
    userDisplayName: person.name,
    challenge: challengeOf(visit, "make"),
    timeout: answerMs,
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: known.map((one) => ({ id: one.credential_id, transports: [...one.transports] })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  return JSON.stringify(options);
}

function challengeOf(visit: Visit, purpose: Purpose): string {
  const said = `${randomBytes(16).toString("base64url")}.${visit.core.clock().getTime() + answerMs}`;
  return `${said}.${sealOf(visit, purpose, said)}`;
}

const sealOf = ({ core, browser }: Visit, purpose: Purpose, said: string): string =>
  core.settings.secrets.derive({ table: "passkey", column: purpose, organization_id: browser, id: said });

/** Whether we put this question, given as base64url, to this browser for this purpose, a moment ago. */
const isOurs = (visit: Visit, purpose: Purpose) => (challenge: string) => {
  const [random, until, seal] = Buffer.from(challenge, "base64url").toString("latin1").split(".");
  return Number(until) > visit.core.clock().getTime() && seal === sealOf(visit, purpose, `${random}.${until}`);
};

// --- answers ---

const answered = z.looseObject({ id: z.string().max(2000), response: z.looseObject({ clientDataJSON: z.string() }) });

/** The answer and the question that it says it answers. Null when it is none. */
function readAnswer(text: string) {
  try {
    const answer = answered.parse(JSON.parse(text));
    const said = JSON.parse(Buffer.from(answer.response.clientDataJSON, "base64url").toString("utf8"));
    return { answer, challenge: String(said.challenge) };
  } catch {
    return null;
  }
}

const isFirstAnswer = ({ db, clock }: Core, challenge: string): Promise<boolean> =>
  takeChallenge(db, challenge, new Date(clock().getTime() + answerMs));

/** The passkey that answered, or null. It has asked its person for the finger, the face or the PIN. */
export async function passkeyBehind(visit: Visit, text: string): Promise<Passkey | null> {
  const { core } = visit;
  const given = readAnswer(text);
  const passkey = given === null ? null : await findPasskey(core.db, given.answer.id);
  if (given === null || passkey === null) return null;
  const { verifyAuthenticationResponse } = await library();
  const response = given.answer as unknown as AuthenticationResponseJSON;
  const found = await verifyAuthenticationResponse({
    response,
    expectedChallenge: isOurs(visit, "sign in"),
    expectedOrigin: originOf(core),
    expectedRPID: hostOf(core),
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(Buffer.from(passkey.public_key, "base64url")),
      counter: passkey.counter,
      transports: [...passkey.transports],
    },
  }).catch(() => null);
  const isTheirs = Buffer.from(response.response.userHandle ?? "", "base64url").toString("utf8") === passkey.user_id;
  if (!found?.verified || !isTheirs || !(await isFirstAnswer(core, given.challenge))) return null;
  await usePasskey(core.db, { id: passkey.id, counter: found.authenticationInfo.newCounter, now: core.clock() });
  return passkey;
}

export type NewPasskey = Pick<Passkey, "credential_id" | "public_key" | "counter" | "transports" | "backed_up">;

/** What a browser says of a new passkey, or null when that is not right. */
export async function newPasskey(visit: SignedIn, text: string): Promise<NewPasskey | null> {
  const { core } = visit;
  const given = readAnswer(text);
  if (given === null) return null;
  const { verifyRegistrationResponse } = await library();
  const found = await verifyRegistrationResponse({
    response: given.answer as unknown as RegistrationResponseJSON,
    expectedChallenge: isOurs(visit, "make"),
    expectedOrigin: originOf(core),
    expectedRPID: hostOf(core),
    supportedAlgorithmIDs: algorithms,
  }).catch(() => null);
  if (!found?.verified || !(await isFirstAnswer(core, given.challenge))) return null;
  const { credential, credentialBackedUp } = found.registrationInfo;
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: (credential.transports ?? []).slice(0, 10).map((one) => String(one).slice(0, 40)),
    backed_up: credentialBackedUp,
  };
}
