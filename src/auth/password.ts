// Hashes passwords with argon2id and stores them in PHC form. One hash takes 33 ms and 19 MB, so that only a few are made at a time:
// otherwise a crowd of sign-ins would take all memory.
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { unavailable } from "../core/errors.ts";

interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive(password, nonce, cost);
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(nonce)}$${base64(tag)}`;
}

/** Whether this is the password. Without a stored one it takes as long, so that the time says nothing about accounts. */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const parsed = parse(stored ?? nobody);
  const tag = await derive(password, parsed.nonce, parsed.cost);
  return timingSafeEqual(tag, parsed.tag) && stored !== null;
}

/** Whether a stored password was hashed with less work than is usual now. */
export function isWeak(stored: string): boolean {
  const { memory, passes } = parse(stored).cost;
  return memory < cost.memory || passes < cost.passes;
}

/** Stands for the password of an account that does not exist. */
const nobody = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${"A".repeat(22)}$${"A".repeat(43)}`;

function parse(stored: string): { cost: Cost; nonce: Buffer; tag: Buffer } {
  const [, memory, passes, parallelism, nonce, tag] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored) ?? [];
  if (nonce === undefined || tag === undefined) throw new Error("a password is stored in an unknown form");
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    nonce: Buffer.from(nonce, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}

const atOnce = 2;
const waitingMost = 50;
let running = 0;
const waiting: (() => void)[] = [];

async function derive(password: string, nonce: Buffer, { memory, passes, parallelism }: Cost): Promise<Buffer> {
  if (running >= atOnce) {
    if (waiting.length >= waitingMost) throw unavailable();
    await new Promise<void>((begin) => waiting.push(begin));
  } else running++;
  try {
    const message = password.normalize("NFKC");
    return await promisify(argon2)("argon2id", { message, nonce, parallelism, tagLength: 32, memory, passes });
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

const base64 = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");
