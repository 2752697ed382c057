// What a service answers is kept and shown. Some repeat the key they were asked with, so it is taken out first.

/** Shorter ones are words, and no keys. */
const shortest = 8;
/** A key may have parts, such as its region. One that is so long is a secret by itself. */
const shortestPart = 16;

/** The text with a mark where it repeats a key or a password of these headers. */
export function withoutSecrets(text: string, headers: Readonly<Record<string, string>>): string {
  const secrets = Object.entries(headers).flatMap(([name, value]) => (named.test(name) ? secretsIn(value) : []));
  return secrets.reduce((left, secret) => left.replaceAll(secret, "••••"), text);
}

const named = /auth|key|token|secret/i;

/** Of a user and a password, only the password: answers name the user. */
function secretsIn(value: string): string[] {
  const [, scheme = "", token = value] = /^(\S+)\s+(\S+)$/.exec(value) ?? [];
  const decoded = /^basic$/i.test(scheme) ? Buffer.from(token, "base64").toString() : "";
  const whole = [token, decoded.slice(decoded.indexOf(":") + 1)].filter((one) => one.length >= shortest);
  return [...whole, ...whole.flatMap((one) => one.split(/[^A-Za-z0-9]/)).filter((one) => one.length >= shortestPart)];
}
