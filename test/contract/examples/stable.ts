// Makes what a service answered the same at every telling: ids, moments, secrets and addresses of this machine are replaced by believable
// ones that stay, and what is long is cut.
import { createHash } from "node:crypto";

const begin = Date.parse("2026-05-04T09:30:00.000Z");
const [minute, day] = [60_000, 86_400_000];
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

const id = /\b([a-z]{2,8})_[0-9a-hjkmnp-tv-z]{26}(?![0-9A-Za-z])/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const date = /^\d{4}-\d\d-\d\d$/;
const month = /^\d{4}-\d\d$/;
/** What is no word: a key, a token, a signature, a hash. */
const secret = /(?<![A-Za-z0-9_/+-])(?=[A-Za-z0-9_/+-]*[0-9])(?=[A-Za-z0-9_/+-]*[A-Za-z])[A-Za-z0-9_+-]{22,}={0,2}/g;

/** What a reader may decode. */
const asItIs = new Set(["content_base64"]);

export class Stable {
  private readonly now: number;
  private readonly names: [RegExp | string, string][];
  private readonly ids = new Map<string, string>();
  private readonly secrets = new Map<string, string>();

  /** `now` is the service's time; `names` are what this telling has of its own, such as addresses, each with what stands for it. */
  constructor(now: Date, names: [RegExp | string, string][]) {
    this.now = now.getTime();
    this.names = names;
  }

  of(value: unknown): any {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((one) => this.of(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [this.text(key), this.member(key, one)]));
  }

  private member(key: string, value: unknown): unknown {
    // The test's mail server listens where the system has room.
    if (key === "port" && typeof value === "number") return 587;
    return asItIs.has(key) ? value : this.of(value);
  }

  private text(given: string): string {
    const named = this.names.reduce((text, [from, to]) => text.replaceAll(from, to), given);
    if (date.test(named)) return this.day(named);
    if (month.test(named)) return this.month(named);
    const timed = named.replace(id, (whole, prefix) => this.id(whole, prefix)).replace(time, (one) => this.moment(one));
    return timed.replace(secret, (one) => (this.isOurs(one) ? one : this.secret(one)));
  }

  private id(whole: string, prefix: string): string {
    const known = this.ids.get(whole);
    if (known !== undefined) return known;
    const bytes = createHash("sha256").update(`${prefix} ${this.ids.size}`).digest();
    const tail = [...bytes.subarray(0, 16)].map((byte) => alphabet[byte % 32]).join("");
    const made = `${prefix}_01kjp6w3mz${tail}`;
    this.ids.set(whole, made);
    return made;
  }

  private isOurs = (text: string): boolean => text.includes("01kjp6w3mz");

  /** What happened just now happened then. What is a while off is as far off. */
  private moment(given: string): string {
    const [at, real] = [Date.parse(given), Date.now()];
    if (Math.abs(at - real) < 15 * minute || Math.abs(at - this.now) < 15 * minute) return new Date(begin).toISOString();
    if (Math.abs(at - this.now) > 100 * day) return given;
    const isMonth = new Date(at).getUTCDate() === 1 && at % (60 * minute) === 0;
    if (isMonth) return `${this.month(given.slice(0, 7))}${given.slice(7)}`;
    return new Date(begin + Math.round((at - this.now) / minute) * minute).toISOString();
  }

  private day(given: string): string {
    const off = Math.round((Date.parse(given) - Math.floor(this.now / day) * day) / day);
    return Math.abs(off) > 100 ? given : new Date(Math.floor(begin / day) * day + off * day).toISOString().slice(0, 10);
  }

  private month(given: string): string {
    const monthOf = (at: number) => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth();
    const off = monthOf(Date.parse(`${given}-15`)) - monthOf(this.now);
    if (Math.abs(off) > 3) return given;
    const made = monthOf(begin) + off;
    return `${Math.floor(made / 12)}-${String((made % 12) + 1).padStart(2, "0")}`;
  }

  /** As long as it is, and as it begins. */
  private secret(given: string): string {
    const known = this.secrets.get(given);
    if (known !== undefined) return known;
    const signs = /^[0-9a-f]+$/.test(given) ? letters.slice(-10) + "abcdef" : letters;
    const start = /^[a-z]{2,6}_/.exec(given)?.[0] ?? "";
    let made = start;
    for (let i = 0; made.length < given.length; i++)
      made += [...createHash("sha256").update(`${this.secrets.size} ${i}`).digest()]
        .map((byte) => signs[byte % signs.length])
        .join("");
    made = made.slice(0, given.length);
    this.secrets.set(given, made);
    return made;
  }
}

/** Two rows of each list, and of long texts and large objects the beginning. */
export function cut(value: unknown, depth = 0): any {
  if (typeof value === "string") return value.length > 400 ? `${value.slice(0, 400)}…` : value;
  if (Array.isArray(value)) return value.slice(0, depth > 3 ? 1 : 2).map((one) => cut(one, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const most = depth > 5 ? 12 : 80;
  return Object.fromEntries(entries.slice(0, most).map(([key, one]) => [key, cut(one, depth + 1)]));
}

/**
 * Where what was shown has another form than what is: another type, or a member that is gone. Lists are compared as far as both go. What
 * an answer gained makes no example wrong, and what may be null is alike.
 */
export function differences(shown: unknown, is: unknown, place = ""): string[] {
  if (shown === null || is === null || (typeof shown !== "object" && typeof shown === typeof is)) return [];
  if (typeof shown !== typeof is || Array.isArray(shown) !== Array.isArray(is)) return [place];
  if (Array.isArray(shown))
    return shown.slice(0, (is as unknown[]).length).flatMap((one, i) => differences(one, (is as unknown[])[i], `${place}.${i}`));
  const now = is as Record<string, unknown>;
  return Object.entries(shown as object).flatMap(([name, one]) => {
    const at = `${place}.${name}`;
    return Object.hasOwn(now, name) ? differences(one, now[name], at) : [at];
  });
}
