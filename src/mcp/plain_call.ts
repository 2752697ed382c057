// Nearly all messages are calls of a tool in which all that the protocol asks for is in its place. These are read and answered here.
// The SDK makes a server, a transport and two streams for each message, which takes five times as long as the call itself. All else
// is left to it: handshakes, lists, what a client asks for besides, and what is wrong, for which it has the protocol's words.
import type { IncomingHttpHeaders } from "node:http";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  isJsonContentType,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Written } from "./result.ts";

export interface PlainCall {
  id: string | number;
  name: string;
  given: Record<string, unknown> | undefined;
  /** Of the revisions since 2026-07-28, whose requests say by themselves what the handshake said before. */
  describesItself: boolean;
}

const modern = "2026-07-28";
const method = "tools/call";
const object = z.record(z.string(), z.unknown());

const messageShape = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.int()]),
  method: z.literal(method),
  params: z.strictObject({
    name: z.string(),
    arguments: object.optional(),
    _meta: z
      .strictObject({
        progressToken: z.union([z.string(), z.int()]).optional(),
        [PROTOCOL_VERSION_META_KEY]: z.literal(modern).optional(),
        [CLIENT_CAPABILITIES_META_KEY]: z.record(z.string(), object).optional(),
        [CLIENT_INFO_META_KEY]: z.looseObject({ name: z.string(), version: z.string() }).optional(),
      })
      .optional(),
  }),
});

/** The call, or null where a message is anything else or not plainly right. */
export function readPlainCall(headers: IncomingHttpHeaders, message: unknown): PlainCall | null {
  const read = messageShape.safeParse(message);
  if (!read.success || !isJsonContentType(headers["content-type"] ?? null)) return null;
  const { id, params } = read.data;
  const { name, arguments: given, _meta: meta = {} } = params;
  const describesItself = headers["mcp-protocol-version"] === modern;
  if (!(describesItself ? isModern(headers, name, meta) : isOlder(headers, meta))) return null;
  return { id, name, given, describesItself };
}

const isModern = (headers: IncomingHttpHeaders, name: string, meta: object): boolean =>
  headers["mcp-method"] === method &&
  headers["mcp-name"] === name &&
  PROTOCOL_VERSION_META_KEY in meta &&
  CLIENT_CAPABILITIES_META_KEY in meta;

function isOlder({ accept = "", "mcp-protocol-version": version }: IncomingHttpHeaders, meta: object): boolean {
  const isKnown = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version as string);
  return (
    isKnown && accept.includes("application/json") && accept.includes("text/event-stream") && !(PROTOCOL_VERSION_META_KEY in meta)
  );
}

/** The answer as text, from the texts of a result. */
export function plainAnswer(
  { id, describesItself }: PlainCall,
  { structured, text }: Written,
  isError: boolean,
  serverInfo: object,
): string {
  const content = `"content":[{"type":"text","text":${text}}],"structuredContent":${structured}${isError ? ',"isError":true' : ""}`;
  const about = describesItself
    ? `,"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: serverInfo })}`
    : "";
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${content}${about}}}`;
}
