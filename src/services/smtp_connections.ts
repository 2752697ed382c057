// Connections to members' SMTP servers. Members choose the server, so only public addresses are reached: all addresses that DNS returns
// and the connected address are checked. Connections are kept for a moment, because mail comes in bursts.
import { createHash } from "node:crypto";
import net from "node:net";
import { LRUCache } from "lru-cache";
import type { default as SMTPPool, SMTPPoolOptions } from "nodemailer/lib/smtp-pool";
import { publicLookup } from "./fetch_public.ts";
import type { PublicAddresses } from "./public_address.ts";

export interface SmtpServer {
  host: string;
  port: number;
  /** When false, encryption is used if the server offers it, without checking its certificate. */
  use_ssl: boolean;
  username: string | null;
  /** One of the two is set when there is a user name. */
  password?: string | null;
  access_token?: string | null;
}

/** The most connections for one mailbox. Servers treat more as an attack. */
const connectionsMost = 3;
const connectMs = 10_000;
/** A server may scan a mail for a long time before it confirms it. */
const silenceMs = 120_000;
const idleMs = 10_000;

const mailboxesMost = 1000;

const pools = new WeakMap<PublicAddresses, LRUCache<string, SMTPPool>>();

/** One pool for each server and login. */
export async function poolFor(addresses: PublicAddresses, server: SmtpServer): Promise<SMTPPool> {
  const { default: Pool } = await import("nodemailer/lib/smtp-pool");
  let kept = pools.get(addresses);
  if (kept === undefined) {
    kept = new LRUCache({ max: mailboxesMost, dispose: (pool) => pool.close() });
    pools.set(addresses, kept);
  }
  const key = createHash("sha256").update(JSON.stringify(server)).digest("base64");
  let pool = kept.get(key);
  if (pool === undefined) kept.set(key, (pool = new Pool(optionsFor(addresses, server))));
  return pool;
}

/** What the server offers, by a connection that sends nothing: `["PIPELINING", "SMTPUTF8"]`. */
export async function extensionsOf(addresses: PublicAddresses, server: SmtpServer): Promise<string[]> {
  const { default: Connection } = await import("nodemailer/lib/smtp-connection");
  const socket = await new Promise<net.Socket>((resolve, reject) => {
    connect(addresses, server, (error, connected) => (error === null ? resolve(connected!.connection) : reject(error)));
  });
  const { getSocket: _, ...options } = optionsFor(addresses, server);
  const connection = new Connection({ ...options, connection: socket });
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once("error", reject).connect((error) => (error ? reject(error) : resolve()));
    });
    const lines = String(connection.lastServerResponse).matchAll(/^250[ -](\S+)/gm);
    return [...lines].map(([, word]) => word!.toUpperCase());
  } finally {
    connection.close();
  }
}

/** Ports where encryption starts by STARTTLS. */
const plainPorts = [25, 587, 2525];

function optionsFor(addresses: PublicAddresses, server: SmtpServer): SMTPPoolOptions {
  const { host, port, use_ssl } = server;
  const fromTheStart = use_ssl && !plainPorts.includes(port);
  return {
    host,
    port,
    secure: fromTheStart,
    requireTLS: use_ssl && !fromTheStart,
    opportunisticTLS: !use_ssl,
    tls: { rejectUnauthorized: use_ssl },
    ...(server.username !== null && { auth: loginOf(server) }),
    maxConnections: connectionsMost,
    // A kept connection may have closed in the meantime. In that case the mail has not been started, so one retry is safe.
    maxRequeues: 1,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    idleTimeout: idleMs,
    getSocket: (_options, done) => connect(addresses, server, done),
  };
}

const loginOf = ({ username, password, access_token }: SmtpServer) =>
  access_token
    ? { type: "OAUTH2" as const, user: username!, accessToken: access_token }
    : { user: username!, pass: password ?? "" };

type Connected = (error: Error | null, options?: { connection: net.Socket }) => void;

/** Connects, and checks the remote address before anything is sent. */
function connect(addresses: PublicAddresses, { host, port }: SmtpServer, done: Connected): void {
  if (!addresses.allowsHost(`http://${net.isIPv6(host) ? `[${host}]` : host}:${port}/`)) return done(new NotPublic());
  const socket = net.connect({ host, port, lookup: publicLookup(addresses, port), timeout: connectMs });
  const fail = (error: Error) => {
    socket.destroy();
    done(error);
  };
  const late = () => fail(new Error("The server did not answer in time"));
  socket.once("error", fail).once("timeout", late);
  socket.once("connect", () => {
    socket.off("error", fail).off("timeout", late).setTimeout(0);
    if (!addresses.allows(socket.remoteAddress ?? "", port)) return fail(new NotPublic());
    // A kept connection must not keep the process alive.
    socket.unref();
    done(null, { connection: socket });
  });
}

export class NotPublic extends Error {}
