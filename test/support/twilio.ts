// A server that plays the part of Twilio's API that the service uses, and calls the service back as Twilio does: with forms
// signed by the account's token. Written from Twilio's documentation, without its SDK, so that the SDK is tested too.
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { TwilioCalls } from "./twilio_calls.ts";
import { TwilioPorts } from "./twilio_ports.ts";

export interface Incoming {
  sid: string;
  from: string;
  to: string;
  body: string;
  media: Media[];
  more: Form;
  /** The service's response. */
  status: number;
}

/** A number of the account, as Twilio shows it. */
export interface Rented {
  sid: string;
  phone_number: string;
  friendly_name: string;
  capabilities: object;
  sms_url: string;
  voice_url: string;
  status_callback: string;
  address_sid: string | null;
  bundle_sid: string | null;
}

interface Media {
  type: string;
  bytes: Buffer;
  /** When false, the stream never ends. */
  ends?: boolean;
}

export interface Message {
  sid: string;
  from: string;
  to: string;
  body: string;
  status: string;
  date_created: Date;
  media: string[];
  statusCallback: string | null;
  error_code: number | null;
  price: string | null;
  messaging_service_sid: string | null;
}

/** Its response to a request, instead of doing it. */
export type Mood =
  | { status: number; code?: number; message?: string }
  /** Neither responds nor does it. */
  | "silent"
  /** Does it, and closes the connection before responding. */
  | "deaf";

type Form = Record<string, string>;

interface Asked {
  method: string;
  /** The path below the account: `Messages`. */
  path: string;
  form: Form;
  /** All values of a field that may occur several times. */
  all(name: string): string[];
}

const open = new Set<TwilioServer>();
after(() => open.forEach((one) => one.close()));

export class TwilioServer {
  readonly account_sid = `AC${hex()}`;
  readonly auth_token = hex();
  url = "";
  readonly messages: Message[] = [];
  readonly media = new Map<string, Media>();
  readonly calls = new TwilioCalls(this);
  readonly ports = new TwilioPorts(this);
  /** The requests it got, as `POST Messages`. */
  readonly asked: string[] = [];
  /** How it treats requests from now on: always the same, or as a function says. */
  mood: Mood | null | ((asked: Asked) => Mood | null) = null;
  /** Called when a text is accepted, before the response. */
  onTaken: ((message: Message) => Promise<void> | void) | null = null;
  /** Called after something is done and before the response. */
  onDone: ((asked: Asked) => Promise<void> | void) | null = null;
  /** Its clock. */
  clock = () => new Date();
  private readonly server = createServer((request, response) => void this.take(request, response));

  get credentials() {
    return { account_sid: this.account_sid, auth_token: this.auth_token, base_url: this.url };
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) =>
      this.server.listen(Number(new URL(this.url || "http://x:0").port), "127.0.0.1", resolve),
    );
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    open.add(this);
    return this;
  }

  /** Stops listening until `start`. */
  close(): void {
    open.delete(this);
    this.server.close();
    this.server.closeAllConnections();
  }

  // --- calling back ---

  /** Posts a signed form to an address that it was given, at the service behind it. */
  async callBack(serviceUrl: string, address: string, fields: Form, token = this.auth_token): Promise<Response> {
    const form = { AccountSid: this.account_sid, ...fields };
    const { pathname, search } = new URL(address);
    return fetch(serviceUrl + pathname + search, {
      method: "POST",
      headers: { "x-twilio-signature": signature(token, address, form) },
      body: new URLSearchParams(form),
    });
  }

  /** Reports the status of a text. */
  async tells(serviceUrl: string, message: Message, status: string, more: Form = {}): Promise<Response> {
    message.status = status;
    const { sid, from, to, statusCallback } = message;
    const form = {
      AccountSid: this.account_sid,
      MessageSid: sid,
      SmsSid: sid,
      MessageStatus: status,
      From: from,
      To: to,
      ...more,
    };
    return this.callBack(serviceUrl, statusCallback!, form);
  }

  /** Somebody texts one of our numbers. The call goes to the address that the service gave for it. */
  async receives(serviceUrl: string, address: string, text: Partial<Incoming> = {}): Promise<Incoming> {
    const { sid = `SM${hex()}`, from = "+12125559876", to = "+12125551234", body = "Hello", media = [], more = {} } = text;
    const form: Form = { AccountSid: this.account_sid, MessageSid: sid, From: from, To: to, Body: body, ...more };
    form.NumMedia = String(media.length);
    media.forEach(({ type, bytes, ends = true }, i) => {
      const name = hex();
      this.media.set(name, { type, bytes, ends });
      form[`MediaUrl${i}`] = `${this.url}/2010-04-01/Accounts/${this.account_sid}/Messages/${sid}/Media/${name}`;
      form[`MediaContentType${i}`] = type;
    });
    const answer = await this.callBack(serviceUrl, address, form);
    return { sid, from, to, body, media, more, status: answer.status };
  }

  // --- requests ---

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const { pathname, searchParams } = new URL(request.url!, this.url);
    if (pathname.startsWith("/v1/PhoneNumbers/Countries/")) return showPrices(response);
    if (pathname.startsWith("/v2/RegulatoryCompliance/")) return this.answerPapers(request, response);
    if (pathname.startsWith("/v1/Documents") || pathname.startsWith("/v1/Porting/"))
      return this.ports.take(request, response, body);
    if (pathname.startsWith("/v2/Channels/Senders")) return this.answerSenders(request, response, pathname, body);
    const [, name] = /\/Media\/(\w+)$/.exec(pathname) ?? [];
    if (name !== undefined) return this.giveMedia(request, response, this.media.get(name));
    const [, recording] = /\/Recordings\/(\w+)\.mp3$/.exec(pathname) ?? [];
    if (recording !== undefined) {
      const bytes = this.calls.recordings.get(recording);
      return this.giveMedia(request, response, bytes && { type: "audio/mpeg", bytes, ends: bytes.length > 0 });
    }
    const [, path] = new RegExp(`^/2010-04-01/Accounts/${this.account_sid}/?(.*)\\.json$`).exec(pathname) ?? [];
    const fields = request.method === "GET" ? searchParams : new URLSearchParams(body);
    const asked = {
      method: request.method!,
      path: path ?? "",
      form: Object.fromEntries(fields),
      all: (name: string) => fields.getAll(name),
    };
    this.asked.push(`${asked.method} ${asked.path}`);
    const mood = typeof this.mood === "function" ? this.mood(asked) : this.mood;
    if (mood === "silent") return;
    if (mood !== null && mood !== "deaf") return refuse(response, mood.status, mood.code ?? 20500, mood.message ?? "Refused");
    if (!this.isKnown(request)) return refuse(response, 401, 20003, "Authenticate");

    const answer = await this.answerTo(asked);
    await this.onDone?.(asked);
    if (mood === "deaf") return void request.socket.destroy();
    if (answer.status === 204) return void response.writeHead(204).end();
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(answer.status === 204 ? "" : JSON.stringify(answer.body));
  }

  isKnown = ({ headers }: IncomingMessage): boolean =>
    headers.authorization === `Basic ${btoa(`${this.account_sid}:${this.auth_token}`)}`;

  private giveMedia(request: IncomingMessage, response: ServerResponse, media: Media | undefined): void {
    this.asked.push("GET Media");
    if (!this.isKnown(request)) return refuse(response, 401, 20003, "Authenticate");
    if (media === undefined || (this.mood !== null && this.mood !== "deaf")) return refuse(response, 404, 20404, "Not found");
    response.writeHead(200, { "content-type": media.type });
    if (media.ends !== false) return void response.end(media.bytes);
    const piece = Buffer.alloc(256 * 1024);
    const goOn = () => {
      while (response.write(piece));
    };
    response.on("drain", goOn).on("error", () => {});
    goOn();
  }

  private async answerTo({ method, path, form, all }: Asked): Promise<{ status: number; body: unknown }> {
    if (/^(?:Calls|Recordings)/.test(path)) return this.calls.answerTo(method, path, form);
    if (method === "POST" && path === "Messages") return this.takeText(form, all("MediaUrl"));
    if (method === "GET" && path === "Messages") {
      const found = this.messages.filter(({ from, to }) => (!form.From || form.From === from) && (!form.To || form.To === to));
      return { status: 200, body: { messages: found.map((one) => this.shown(one)).reverse(), next_page_uri: null } };
    }
    if (path === "Addresses") return { status: 200, body: { addresses: this.addresses, next_page_uri: null } };
    const numbers = this.answerNumbers({ method, path, form, all });
    if (numbers !== null) return numbers;
    return { status: 404, body: { code: 20404, message: `${method} ${path} was not found`, status: 404 } };
  }

  /** The numbers that can be rented and that are rented, by number. */
  readonly forSale: {
    number: string;
    address?: boolean;
    bundle?: boolean;
    sms?: boolean;
    type?: "Local" | "Mobile" | "TollFree";
  }[] = [];
  readonly numbers: Rented[] = [];
  /** The papers of the account, and what regulators want to see. */
  readonly addresses: { sid: string; iso_country: string }[] = [];
  readonly bundles: { sid: string; status: string; iso_country: string; number_type: string; friendly_name: string }[] = [];
  readonly regulations: { sid: string; iso_country: string; number_type: string; end_user_type: string; requirements: object }[] =
    [];
  /** How often a number was rented. */
  rents = 0;

  private answerNumbers({ method, path, form }: Asked): { status: number; body: unknown } | null {
    const capabilities = { voice: true, sms: true, mms: false };
    if (/^AvailablePhoneNumbers\/[A-Z]{2}\/(Local|Mobile|TollFree)$/.test(path)) {
      const wanted = form.Contains ?? "";
      const type = path.split("/")[2]!;
      const found = this.forSale.filter((one) => one.number.includes(wanted) && (one.type ?? "Local") === type);
      const shown = found.map(({ number, address = false, sms = true }) => ({
        phone_number: number,
        friendly_name: number,
        iso_country: path.split("/")[1],
        region: "NY",
        locality: "New York",
        postal_code: null,
        address_requirements: address ? "local" : "none",
        capabilities: { voice: true, SMS: sms, MMS: false },
      }));
      return { status: 200, body: { available_phone_numbers: shown, next_page_uri: null } };
    }
    const [, sid] = /^IncomingPhoneNumbers\/(PN\w+)$/.exec(path) ?? [];
    const own = this.numbers.find((one) => one.sid === sid);
    if (sid !== undefined && own === undefined) return { status: 404, body: { code: 20404, message: "not found", status: 404 } };
    if (own !== undefined && method === "DELETE")
      return { status: 204, body: void this.numbers.splice(this.numbers.indexOf(own), 1) };
    if (own !== undefined) return { status: 200, body: Object.assign(own, smallNames(form)) };
    if (path !== "IncomingPhoneNumbers") return null;
    if (method === "GET") {
      const found = this.numbers.filter(({ phone_number }) => phone_number === form.PhoneNumber);
      return { status: 200, body: { incoming_phone_numbers: found, next_page_uri: null } };
    }
    const at = this.forSale.findIndex(({ number }) => number === form.PhoneNumber);
    const { address, bundle } = this.forSale[at] ?? {};
    const code =
      at < 0 ? 21422 : bundle && !form.BundleSid ? 21649 : address && !form.AddressSid && !form.BundleSid ? 21631 : null;
    if (code !== null) return { status: 400, body: { code, message: "not available", status: 400 } };
    this.forSale.splice(at, 1);
    this.rents++;
    const papers = { address_sid: form.AddressSid ?? null, bundle_sid: form.BundleSid ?? null };
    const rented = Object.assign(this.own(form.PhoneNumber!, form.FriendlyName ?? ""), { capabilities, ...papers });
    return { status: 201, body: rented };
  }

  private answerPapers(request: IncomingMessage, response: ServerResponse): void {
    if (!this.isKnown(request)) return refuse(response, 401, 20003, "Authenticate");
    const { pathname, searchParams } = new URL(request.url!, this.url);
    const [country, type] = [searchParams.get("IsoCountry"), searchParams.get("NumberType")];
    const all: { iso_country: string; number_type: string }[] = pathname.endsWith("/Bundles") ? this.bundles : this.regulations;
    const results = all.filter((one) => one.iso_country === country && one.number_type === type);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ results, meta: { key: "results" } }));
  }

  /** The account's senders on WhatsApp. */
  readonly whatsapp: { sid: string; sender_id: string; callback_url: string }[] = [];

  private answerSenders(request: IncomingMessage, response: ServerResponse, pathname: string, body: string): void {
    if (!this.isKnown(request)) return refuse(response, 401, 20003, "Authenticate");
    const show = ({ callback_url, ...rest }: TwilioServer["whatsapp"][number]) => ({ ...rest, webhook: { callback_url } });
    const own = this.whatsapp.find(({ sid }) => pathname.endsWith(sid));
    if (own !== undefined) own.callback_url = JSON.parse(body).webhook.callback_url;
    const answer = own === undefined ? { senders: this.whatsapp.map(show), meta: { key: "senders" } } : show(own);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  }

  /** The account has a number, for any use. */
  own(number: string, friendly_name = "Front desk"): Rented {
    const capabilities = { voice: true, sms: true, mms: false };
    const nowhere = { sms_url: "", voice_url: "", status_callback: "", address_sid: null, bundle_sid: null };
    const one: Rented = { sid: `PN${hex()}`, phone_number: number, friendly_name, capabilities, ...nowhere };
    this.numbers.push(one);
    return one;
  }

  private async takeText(form: Form, media: string[]): Promise<{ status: number; body: unknown }> {
    const message: Message = {
      sid: `SM${hex()}`,
      from: form.From!,
      to: form.To!,
      body: form.Body ?? "",
      status: "queued",
      // Twilio's dates have no milliseconds.
      date_created: new Date(Math.floor(this.clock().getTime() / 1000) * 1000),
      media,
      statusCallback: form.StatusCallback ?? null,
      error_code: null,
      price: null,
      messaging_service_sid: form.MessagingServiceSid ?? null,
    };
    this.messages.push(message);
    await this.onTaken?.(message);
    return { status: 201, body: this.shown(message) };
  }

  private shown({ date_created, media, statusCallback: _, ...message }: Message): object {
    const date = date_created.toUTCString();
    return { ...message, account_sid: this.account_sid, date_created: date, date_updated: date, num_media: String(media.length) };
  }
}

export const startTwilio = (): Promise<TwilioServer> => new TwilioServer().start();

const hex = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const showPrices = (response: ServerResponse): void => {
  const phone_number_prices = [{ number_type: "local", base_price: "1.15", current_price: "1.15" }];
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ country: "United States", iso_country: "US", phone_number_prices, price_unit: "USD", url: "" }));
};

/** `SmsUrl` → `sms_url`. */
const smallNames = (form: Form): Form =>
  Object.fromEntries(Object.entries(form).map(([name, value]) => [name.replace(/(?<!^)([A-Z])/g, "_$1").toLowerCase(), value]));

export const refuse = (response: ServerResponse, status: number, code: number, message: string): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ status, code, message }));

/** HMAC-SHA1 of the address followed by the sorted fields of the form. */
export function signature(token: string, address: string, form: Form): string {
  const text = Object.keys(form)
    .sort()
    .reduce((text, name) => text + name + form[name], address);
  return createHmac("sha1", token).update(text).digest("base64");
}
