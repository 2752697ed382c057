// Seals secrets that are needed in clear text again: signing keys, tokens, passwords of connected accounts. Somebody who reads
// the database, or moves a sealed value to another row, has nothing without the service's key.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { chmod, link, mkdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Secrets {
  /** Identifies the key. It is the second part of everything the key seals. */
  key_id: string;
  /** Encrypts with AES-256-GCM, bound to a place. The value opens nowhere else. */
  seal(text: string, place: Place): string;
  /** The text. Throws for another key, another place or a changed value. */
  open(sealed: string, place: Place): string;
  /** 43 characters that nobody can guess, always the same for one place. Such a secret needs no storage, only its hash. */
  derive(place: Place): string;
}

/** The place where a sealed value is stored. */
export interface Place {
  table: string;
  column: string;
  organization_id: string;
  id: string;
}

/** `secretKey` is the configured or generated key as text. The keys in use are derived from it. */
export function openSecrets(secretKey: string): Secrets {
  const bytesOfKey = Buffer.from(hkdfSync("sha256", secretKey, "", "headwater sealed values", 32));
  // Created once. Node would derive a key object from bytes at every use, which takes ten times as long as the use itself.
  const key = createSecretKey(bytesOfKey);
  const deriving = createSecretKey(Buffer.from(hkdfSync("sha256", secretKey, "", "headwater derived secrets", 32)));
  const keyId = createHash("sha256").update(bytesOfKey).digest("base64url").slice(0, 8);

  return {
    key_id: keyId,
    seal(text, place) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(bindingOf(place));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return ["v1", keyId, nonce.toString("base64url"), sealed.toString("base64url")].join(".");
    },
    open(sealed, place) {
      const [version, sealedBy, nonce, data] = sealed.split(".");
      if (version !== "v1" || nonce === undefined || data === undefined)
        throw new Error(`a sealed value of an unknown form: ${version}`);
      if (!sameText(sealedBy!, keyId))
        throw new Error("sealed with another SECRET_KEY: start the service with the key it was sealed with");
      const bytes = Buffer.from(data, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url"), { authTagLength: 16 })
        .setAAD(bindingOf(place))
        .setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString("utf8");
    },
    derive: (place) => createHmac("sha256", deriving).update(bindingOf(place)).digest("base64url"),
  };
}

const bindingOf = ({ table, column, organization_id, id }: Place): Buffer =>
  Buffer.from([table, column, organization_id, id].join("|"));

const sameText = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/**
 * The configured key, or else the one in the data directory, which the first start creates. Several processes may start at once.
 */
export async function secretKey(configured: string | null, dataDir: string): Promise<string> {
  if (configured !== null) return configured;
  const file = join(dataDir, "secret_key");
  if ((await readKey(nextFile(dataDir))) !== null)
    throw new Error("A change of the key was interrupted: run `headwater doctor --rotate-secret` again");
  return (await readKey(file)) ?? makeKey(dataDir, file);
}

/** The next key of a data directory, created here or left by an interrupted change. `finish` replaces the old key with it. */
export async function nextSecretKey(dataDir: string): Promise<{ from: string; to: string; finish(): Promise<void> }> {
  const [file, next] = [join(dataDir, "secret_key"), nextFile(dataDir)];
  const from = await readKey(file);
  if (from === null) throw new Error(`${file} is not there: nothing has been sealed here yet`);
  const to = (await readKey(next)) ?? (await makeKey(dataDir, next));
  return { from, to, finish: () => rename(next, file) };
}

/** Takes a key from elsewhere for a data directory that has none. One that has a key keeps it. */
export async function adoptSecretKey(key: string, dataDir: string): Promise<void> {
  const file = join(dataDir, "secret_key");
  if ((await readKey(file)) === null) await makeKey(dataDir, file, key);
}

/** What the key at hand opens, or null where there is none yet. */
export async function presentSecrets(configured: string | null, dataDir: string): Promise<Secrets | null> {
  const key = configured ?? (await readKey(join(dataDir, "secret_key")));
  return key === null ? null : openSecrets(key);
}

const nextFile = (dataDir: string): string => join(dataDir, "secret_key.next");

async function makeKey(dataDir: string, file: string, key = randomBytes(32).toString("base64url")): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const mine = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  await writeFile(mine, `${key}\n`, { mode: 0o600, flag: "wx", flush: true });
  // The first process to link the file wins, and no process ever reads half a key.
  await link(mine, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await unlink(mine);
  return (await readKey(file))!;
}

async function readKey(file: string): Promise<string | null> {
  let text: string;
  try {
    text = (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  if (text.length < 32)
    throw new Error(`${file} holds no key: restore it from a backup, for what was sealed with it cannot be read without it`);
  await chmod(file, 0o600);
  return text;
}
