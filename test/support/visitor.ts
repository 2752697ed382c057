// A person with a browser, as far as forms, cookies and redirects go: pages are fetched, and their forms filled in and sent.
import assert from "node:assert/strict";
import { hashPassword } from "../../src/auth/password.ts";
import type { Service } from "./service.ts";

export interface Shown {
  status: number;
  headers: Headers;
  text: string;
  /** Where the last redirect led, when that is not our server. */
  left: URL | null;
  path: string;
}

export class Visitor {
  readonly service: Service;
  readonly cookies = new Map<string, { value: string; path: string }>();
  /** Sent with each request. */
  headers: Record<string, string> = {};
  shown: Shown | null = null;

  constructor(service: Service) {
    this.service = service;
  }

  open = (path: string): Promise<Shown> => this.go("GET", path);

  /** Sends the form of the page that is shown, with its hidden fields. `action` chooses one of several. */
  send(fields: Record<string, string>, action?: string): Promise<Shown> {
    const forms = [...this.shown!.text.matchAll(/<form method="post" action="([^"]+)"[^>]*>(.*?)<\/form>/gs)];
    const form = forms.find((one) => action === undefined || one[1]!.includes(action));
    assert.ok(form !== undefined, `no form for ${action} in: ${this.shown!.text}`);
    const hidden = [...form[2]!.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map((one) => [one[1]!, one[2]!]);
    return this.go("POST", form[1]!.replaceAll("&amp;", "&"), { ...Object.fromEntries(hidden), ...fields });
  }

  async go(method: string, path: string, fields?: Record<string, string>): Promise<Shown> {
    const answer = await fetch(this.service.url + path, {
      method,
      redirect: "manual",
      headers: { cookie: this.cookieFor(path), accept: "text/html", ...this.headers },
      ...(fields && { body: new URLSearchParams(fields) }),
    });
    this.keep(answer.headers.getSetCookie());
    const text = await answer.text();
    const location = answer.headers.get("location");
    const own = location !== null && new URL(location, "http://localhost").origin === "http://localhost";
    if (own) return this.go("GET", location.replace("http://localhost", ""));
    const left = location === null ? null : new URL(location);
    return (this.shown = { status: answer.status, headers: answer.headers, text, left, path });
  }

  private cookieFor(path: string): string {
    const pathname = path.split("?")[0]!;
    const sent = [...this.cookies].filter(([, kept]) => kept.value !== "" && pathname.startsWith(kept.path));
    return sent.map(([key, kept]) => `${key.split("@")[0]}=${kept.value}`).join("; ");
  }

  private keep(given: readonly string[]): void {
    for (const one of given) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(one)!;
      const path = /path=([^;]+)/i.exec(one)?.[1] ?? "/";
      const isOver = /max-age=0|expires=Thu, 01 Jan 1970/i.test(one);
      this.cookies.set(`${name}@${path}`, { value: isOver ? "" : value!, path });
    }
  }

  /** `below` is the path below which the service lies. */
  async signIn(email: string, password: string, below = ""): Promise<Shown> {
    await this.open(`${below}/sign-in/`);
    return this.send({ email, password });
  }
}

export const goodPassword = "seven purple otters";

/** Gives a person a password, as if they had chosen it. */
export async function givePassword(service: Service, userId: string, password = goodPassword): Promise<void> {
  const hash = password === goodPassword ? await (goodHash ??= hashPassword(goodPassword)) : await hashPassword(password);
  await service.app.db.unscopedTransaction(async (tx) =>
    tx.write({ text: `update "user" set password_hash = $2 where id = $1`, values: [userId, hash] }),
  );
}
let goodHash: Promise<string> | null = null;
