// A mail server for tests: it accepts mail or responds as a test says, and parses mail as a mail program does.
import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

export interface MailServer {
  env: { SMTP_URL: string };
  /** The settings of a connected account. */
  smtp: { host: string; port: number; use_ssl: boolean };
  /** The received mails, in order. */
  received: Received[];
  /** Its response instead of accepting a mail: a code and words, for the recipient or after the text of the mail. */
  refuses: ({ at: "recipient" | "text" } & Answer) | null;
  /** Its responses to single recipients, by address. */
  refusesTo: Map<string, Answer>;
  /** The password it requires. Null: it offers no login. Takes effect with `open`. */
  password: string | null;
  /** Accepts a token by XOAUTH2. Null: it offers no such login. Takes effect with `open`. */
  isToken: ((username: string, token: string) => boolean) | null;
  /** Whether it offers SMTPUTF8. Takes effect with `open`. */
  offersUtf8: boolean;
  /** Called when a mail has been received, before the server confirms it. */
  beforeReceipt: (() => Promise<void>) | null;
  /** The mail to an address. */
  to(address: string): Received[];
  /** Stops listening until `open` is called. */
  close(): Promise<void>;
  open(): Promise<void>;
}

export interface Answer {
  code: number;
  words: string;
}

export interface Received extends Email {
  /** The envelope recipients, whatever the mail itself says. */
  recipients: string[];
  /** The bytes of its longest line. */
  longestLine: number;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
}

export async function startMailServer(): Promise<MailServer> {
  let port = 0;
  let server: SMTPServer;
  const asks = () => mail.password !== null || mail.isToken !== null;
  const open = async () => {
    server = new SMTPServer({
      disabledCommands: asks() ? ["STARTTLS"] : ["AUTH", "STARTTLS"],
      authMethods: mail.isToken === null ? ["PLAIN", "LOGIN"] : ["XOAUTH2"],
      authOptional: !asks(),
      hideSMTPUTF8: !mail.offersUtf8,
      allowInsecureAuth: true,
      onAuth: ({ username = "", password, accessToken }, _session, done) =>
        (accessToken === undefined ? password === mail.password : mail.isToken?.(username, accessToken))
          ? done(null, { user: username })
          : done(refusal({ code: 535, words: "5.7.8 wrong name or password" })),
      logger: false,
      // Connections that a pool keeps open are closed too.
      closeTimeout: 1,
      onRcptTo({ address }, _session, done) {
        const refused = mail.refuses?.at === "recipient" ? mail.refuses : mail.refusesTo.get(address);
        done(refused === undefined ? null : refusal(refused));
      },
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => void take(Buffer.concat(chunks), session.envelope.rcptTo).then(() => done(), done));
      },
    });
    server.on("error", () => {});
    await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
    ({ port } = server.server.address() as AddressInfo);
  };
  const take = async (bytes: Buffer, to: readonly { address: string }[]) => {
    if (mail.refuses?.at === "text") throw refusal(mail.refuses);
    const parsed = await PostalMime.parse(bytes);
    const header = (name: string) => parsed.headers.find(({ key }) => key === name)?.value;
    const longestLine = bytes
      .toString("latin1")
      .split("\r\n")
      .reduce((longest, line) => Math.max(longest, line.length), 0);
    mail.received.push({ ...parsed, recipients: to.map(({ address }) => address), longestLine, header });
    await mail.beforeReceipt?.();
  };
  const mail: MailServer = {
    env: { SMTP_URL: "" },
    smtp: { host: "127.0.0.1", port: 0, use_ssl: false },
    received: [],
    refuses: null,
    refusesTo: new Map(),
    password: null,
    isToken: null,
    offersUtf8: true,
    beforeReceipt: null,
    to: (address) => mail.received.filter(({ recipients }) => recipients.includes(address)),
    close: () => new Promise((closed) => server.close(() => closed())),
    open,
  };
  await open();
  mail.smtp.port = port;
  mail.env.SMTP_URL = `smtp://127.0.0.1:${port}/?from=crm@example.com`;
  return mail;
}

const refusal = ({ code, words }: Answer) => Object.assign(new Error(words), { responseCode: code });
